import { createHash, randomBytes, sign, X509Certificate, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { below, readElement } from './ber.ts'
import { bits, integer, isTrue, octets, oid, sequence, set, tagged, taggedBytes, text, time } from './der.ts'
import { publicDerOf } from './keys.ts'
import { addressBytes } from './names.ts'

const dayMs = 24 * 60 * 60 * 1000
const authorityLifeMs = 20 * 365.25 * dayMs
/** Systems reject server certificates that are valid for more than 398 days. */
const leafLifeMs = 397 * dayMs
/** Backdates certificates, so that a clock slightly ahead does not make them valid only in the future. */
const backdatedMs = dayMs

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'))
const commonName = oid('2.5.4.3')
const organizationName = oid('2.5.4.10')

const nameOf = (...attributes: readonly [type: Buffer, value: string][]) =>
  sequence(...attributes.map(([type, value]) => set(sequence(type, text(value)))))

const extension = (id: string, value: Buffer, isCritical = false) =>
  sequence(oid(id), ...(isCritical ? [isTrue] : []), octets(value))

const basicConstraints = (...constraints: readonly Buffer[]) => extension('2.5.29.19', sequence(...constraints), true)
const keyUsage = (bit: number) => extension('2.5.29.15', bits(Buffer.from([0x80 >> bit]), 7 - bit), true)
const forServers = extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.1')))
const subjectKeyId = (keyId: Buffer) => extension('2.5.29.14', octets(keyId))
const authorityKeyId = (keyId: Buffer) => extension('2.5.29.35', sequence(taggedBytes(0, keyId)))
const alternativeNames = (names: readonly string[]) =>
  extension(
    '2.5.29.17',
    sequence(
      ...names.map((name) =>
        isIP(name) === 0 ? taggedBytes(2, Buffer.from(name)) : taggedBytes(7, addressBytes(name)),
      ),
    ),
  )

const isAuthority = isTrue
/** Permits no further authorities below. */
const noneBelow = integer(Buffer.from([0]))
const digitalSignature = 0
const keyCertSign = 5

/** Id of a public key in certificates (RFC 5280, 4.2.1.2). */
const keyIdOf = (publicDer: Buffer) =>
  createHash('sha1')
    .update(below(readElement(publicDer), 1).content.subarray(1))
    .digest()

/** A serial number that is positive and has no leading zeros. */
function newSerial(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = (bytes[0]! & 0x3f) | 0x40
  return integer(bytes)
}

interface Contents {
  issuer: Buffer
  subject: Buffer
  notBefore: number
  notAfter: number
  publicDer: Buffer
  extensions: readonly Buffer[]
}

/** Writes and signs a certificate (RFC 5280, version 3). */
function signed({ issuer, subject, notBefore, notAfter, publicDer, extensions }: Contents, signingKey: KeyObject) {
  const contents = sequence(
    tagged(0, integer(Buffer.from([2]))),
    newSerial(),
    ecdsaWithSha256,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    publicDer,
    tagged(3, sequence(...extensions)),
  )
  const signature = sign('sha256', contents, signingKey)
  return new X509Certificate(sequence(contents, ecdsaWithSha256, bits(signature)))
}

/** An authority's key and its self-signed certificate. */
export interface Authority {
  readonly key: KeyObject
  readonly certificate: X509Certificate
}

/**
 * Issues the self-signed certificate of an authority: it may sign server certificates only, no further authorities. All
 * certificates over the same key are the same identity.
 */
export function makeAuthority(key: KeyObject, now: number): Authority {
  const publicDer = publicDerOf(key)
  const keyId = keyIdOf(publicDer)
  // Gives each appliance a distinct name in the certificate stores of browsers.
  const label = keyId.toString('hex').slice(0, 8).toUpperCase()
  const name = nameOf([commonName, `Farhand ${label}`], [organizationName, 'Farhand'])
  const certificate = signed(
    {
      issuer: name,
      subject: name,
      notBefore: now - backdatedMs,
      notAfter: now + authorityLifeMs,
      publicDer,
      extensions: [basicConstraints(isAuthority, noneBelow), keyUsage(keyCertSign), forServers, subjectKeyId(keyId)],
    },
    key,
  )
  return { key, certificate }
}

/** Index of the subject among the contents of a certificate. */
const subjectIndex = 5

/** Issues a server certificate for a key and at least one name or address. */
export function makeLeaf(authority: Authority, key: KeyObject, names: readonly string[], now: number): X509Certificate {
  const publicDer = publicDerOf(key)
  const { certificate } = authority
  return signed(
    {
      // The name as it stands: some programs compare its bytes.
      issuer: below(readElement(certificate.raw), 0, subjectIndex).raw,
      subject: nameOf([commonName, (names[0] ?? '').slice(0, 64)]),
      notBefore: now - backdatedMs,
      notAfter: Math.min(now - backdatedMs + leafLifeMs, certificate.validToDate.getTime()),
      publicDer,
      extensions: [
        basicConstraints(),
        keyUsage(digitalSignature),
        forServers,
        alternativeNames(names),
        subjectKeyId(keyIdOf(publicDer)),
        authorityKeyId(keyIdOf(publicDerOf(certificate.publicKey))),
      ],
    },
    authority.key,
  )
}

/**
 * True if an authority's certificate must be reissued over the same key: the clock is outside its validity, or it
 * expires within the life of a leaf.
 */
export const isAuthorityDue = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  now < validFromDate.getTime() || now + leafLifeMs >= validToDate.getTime()

/** True within the validity of a certificate. */
export const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now < validToDate.getTime()

/** True if a certificate must be renewed: after two thirds of its life, or outside its validity. */
export function isDue({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  const [begin, end] = [validFromDate.getTime(), validToDate.getTime()]
  return now < begin || now >= begin + ((end - begin) * 2) / 3
}
