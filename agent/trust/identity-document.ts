import { createHash, verify, X509Certificate, type KeyObject } from 'node:crypto'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { IdentityStatement, ServerIdentityDto, type Pin } from '../../shared/server-identity.ts'

/** Identity of a server, from a document with a verified signature. */
export interface ProvedIdentity {
  /** Pin of the authority's key, which is the identity. */
  pin: Pin
  authorityKey: KeyObject
  statement: IdentityStatement
}

const spkiOf = (key: KeyObject) => key.export({ type: 'spki', format: 'der' })

export const pinOf = (key: KeyObject): Pin => `sha256//${createHash('sha256').update(spkiOf(key)).digest('base64')}`

/** Encodes a public key for the settings: base64 of its SubjectPublicKeyInfo (DER). */
export const textOfKey = (key: KeyObject): string => spkiOf(key).toString('base64')

const unreadable = 'its identity document cannot be read'

function keyIn(certificate: string): KeyObject {
  let key: KeyObject | undefined
  try {
    key = new X509Certificate(Buffer.from(certificate, 'base64')).publicKey
  } catch {
    // Invalid certificate.
  }
  if (key?.asymmetricKeyType !== 'ec') {
    throw new Error(unreadable)
  }
  return key
}

/** Reads an identity document. Throws a part of a sentence unless the authority's key signed the statement. */
export function readIdentity(json: unknown): ProvedIdentity {
  const document = ServerIdentityDto.safeParse(json).data
  if (!document) {
    throw new Error(unreadable)
  }
  const authorityKey = keyIn(document.authority)
  const bytes = Buffer.from(document.statement, 'base64')
  if (!verify('sha256', bytes, authorityKey, Buffer.from(document.signature, 'base64'))) {
    throw new Error('its identity document carries a wrong signature')
  }
  const statement = IdentityStatement.safeParse(parseJson(bytes.toString('utf8'))).data
  if (!statement) {
    throw new Error(unreadable)
  }
  return { pin: pinOf(authorityKey), authorityKey, statement }
}
