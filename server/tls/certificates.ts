import { webcrypto, X509Certificate, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { publicDerOf } from './keys.ts'
import { certificateLibrary } from './library.ts'

const dayMs = 24 * 60 * 60 * 1000
const authorityLifeMs = 20 * 365.25 * dayMs
/** Systems refuse server certificates that are valid for more than 398 days. */
const leafLifeMs = 397 * dayMs
/** A clock that was a little ahead when a certificate was made must not make it one of tomorrow. */
const backdatedMs = dayMs

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

const signingKeyOf = (key: KeyObject) =>
  webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, false, ['sign'])

/** An authority's key, and the certificate that it has given itself. */
export interface Authority {
  readonly key: KeyObject
  readonly certificate: X509Certificate
}

/**
 * The certificate of an authority over its key: it may certify servers and nothing else, and no further authorities.
 * Each one over the same key counts for the same identity.
 */
export async function makeAuthority(key: KeyObject, now: number): Promise<Authority> {
  const x509 = await certificateLibrary()
  const publicKey = publicDerOf(key)
  const keyId = await x509.SubjectKeyIdentifierExtension.create(publicKey)
  // Of two appliances, each has a name of its own in the stores of browsers.
  const name = `CN=Farhand ${keyId.keyId.slice(0, 8).toUpperCase()}, O=Farhand`
  const made = await x509.X509CertificateGenerator.create({
    subject: name,
    issuer: name,
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(now + authorityLifeMs),
    publicKey,
    signingKey: await signingKeyOf(key),
    signingAlgorithm: { ...algorithm, hash: 'SHA-256' },
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      keyId,
    ],
  })
  return { key, certificate: new X509Certificate(Buffer.from(made.rawData)) }
}

/** A certificate of the authority for a server's key, for at least one name or address. */
export async function makeLeaf(
  authority: Authority,
  key: KeyObject,
  names: readonly string[],
  now: number,
): Promise<X509Certificate> {
  const x509 = await certificateLibrary()
  const publicKey = publicDerOf(key)
  const issuer = new x509.X509Certificate(authority.certificate.raw)
  const end = Math.min(now - backdatedMs + leafLifeMs, authority.certificate.validToDate.getTime())
  const made = await x509.X509CertificateGenerator.create({
    subject: [{ CN: [(names[0] ?? '').slice(0, 64)] }],
    issuer: issuer.subjectName,
    notBefore: new Date(now - backdatedMs),
    notAfter: new Date(end),
    publicKey,
    signingKey: await signingKeyOf(authority.key),
    signingAlgorithm: { ...algorithm, hash: 'SHA-256' },
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: isIP(value) === 0 ? ('dns' as const) : ('ip' as const), value })),
      ),
      await x509.SubjectKeyIdentifierExtension.create(publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return new X509Certificate(Buffer.from(made.rawData))
}

/** Whether an authority's certificate has to be made anew, over the same key: the clock is outside, or it ends within the life of a leaf. */
export const isAuthorityDue = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  now < validFromDate.getTime() || now + leafLifeMs >= validToDate.getTime()

/** Whether a certificate counts at a time. */
export const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now < validToDate.getTime()

/** Whether another one should take its place: two thirds of its life have passed, or the clock is outside of it. */
export function isDue({ validFromDate, validToDate }: X509Certificate, now: number): boolean {
  const [begin, end] = [validFromDate.getTime(), validToDate.getTime()]
  return now < begin || now >= begin + ((end - begin) * 2) / 3
}
