import { EncryptedContentInfo } from '@peculiar/asn1-cms'
import { AsnIntegerConverter, AsnParser, AsnProp, AsnPropTypes, OctetString } from '@peculiar/asn1-schema'
import { AlgorithmIdentifier } from '@peculiar/asn1-x509'
import { fromBER, OctetString as Octets, type AsnType, type Integer } from 'asn1js'

/** The parser takes a millisecond for each KB of the worst file; a chain of four with long keys has 35 KB. */
const mostBytes = 48 * 1024
/** A file with its chain has a few hundred. */
const mostElements = 2_000

const unreadable = (cause: unknown) => new Error('The file is damaged, or of another kind.', { cause })

/** Reads a value in BER or DER. Limits size, depth and number of elements, because files may be hostile. */
function read(bytes: ArrayBuffer | Buffer): AsnType {
  if (bytes.byteLength > mostBytes) {
    throw new Error(`more than ${mostBytes / 1024} KB`)
  }
  const { result } = fromBER(bytes, { maxNodes: mostElements, parseEmbedded: false })
  if (result.error) {
    throw unreadable(result.error)
  }
  return result
}

/** Decodes a value. */
export function decode<Type>(bytes: ArrayBuffer | Buffer, type: new () => Type): Type {
  const value = read(bytes)
  try {
    return AsnParser.fromASN(value, type)
  } catch (error) {
    throw unreadable(error)
  }
}

export const contentOf = ({ buffer }: OctetString): Buffer => Buffer.from(buffer)

/** Decodes an octet string, and joins its pieces. */
export function octetsIn(bytes: ArrayBuffer): Buffer {
  const value = read(bytes)
  if (!(value instanceof Octets)) {
    throw unreadable('no octet string')
  }
  return Buffer.from(value.getValue())
}

export function parametersOf<Type>({ algorithm, parameters }: AlgorithmIdentifier, type: new () => Type): Type {
  if (!parameters) {
    throw new Error(`unsupported: ${algorithm}`)
  }
  return decode(parameters, type)
}

type Options = Parameters<typeof AsnProp>[0]

/** Declares the elements of a sequence that the library does not declare; a missing one keeps its initial value. */
function declare<Type extends object>(type: new () => Type, elements: Record<keyof Type & string, Options>): void {
  Object.entries<Options>(elements).forEach(([name, options]) => AsnProp(options)(type.prototype as Type, name))
}

const { fromASN, toASN } = AsnIntegerConverter
/** The library returns some numbers as text. */
const number = {
  type: AsnPropTypes.Integer,
  converter: { fromASN: (value: Integer) => Number(fromASN(value)), toASN },
} satisfies Options

/** Encrypted content of a PFX file (RFC 5652, 8). */
export class EncryptedData {
  version = 0
  content = new EncryptedContentInfo()
}
declare(EncryptedData, { version: number, content: { type: EncryptedContentInfo } })

/** Parameters of PBES2 and PBMAC1 (RFC 8018, A.4 and A.5): how the key is derived, and what it is for. */
export class KeyUse {
  derivation = new AlgorithmIdentifier()
  scheme = new AlgorithmIdentifier()
}
declare(KeyUse, { derivation: { type: AlgorithmIdentifier }, scheme: { type: AlgorithmIdentifier } })

/** Parameters of PBKDF2 (RFC 8018, A.2); salt and rounds alone are those of PKCS #12 (RFC 7292, C). */
export class SaltedRounds {
  salt = new OctetString()
  rounds = 0
  keyBytes = 0
  /** HMAC with SHA-1. */
  digest = new AlgorithmIdentifier({ algorithm: '1.2.840.113549.2.7' })
}
declare(SaltedRounds, {
  salt: { type: OctetString },
  rounds: number,
  keyBytes: { ...number, optional: true },
  digest: { type: AlgorithmIdentifier, optional: true },
})

/** Parameters of scrypt (RFC 7914, 7.1). */
export class ScryptCost {
  salt = new OctetString()
  cost = 0
  blockSize = 0
  parallelization = 0
  keyBytes = 0
}
declare(ScryptCost, {
  salt: { type: OctetString },
  cost: number,
  blockSize: number,
  parallelization: number,
  keyBytes: { ...number, optional: true },
})
