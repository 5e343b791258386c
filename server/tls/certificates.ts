import { webcrypto, X509Certificate, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { publicDerOf } from './keys.ts'
import { certificateLibrary } from './library.ts'

const dayMs = 24 * 60 * 60 * 1000
const authorityLifeMs = 20 * 365.25 * dayMs
/** Systems reject server certificates that are valid for more than 398 days. */
const leafLifeMs = 397 * dayMs
/** Backdates certificates, so that a clock slightly ahead does not make them valid only in the future. */
const backdatedMs = dayMs

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }

const signingKeyOf = (key: KeyObject) =>
  webcrypto.subtle.importKey('pkcs8', key.export({ type: 'pkcs8', format: 'der' }), algorithm, false, ['sign'])

/** An authority's key and its self-signed certificate. */
export interface Authority {
  readonly key: KeyObject
  readonly certificate: X509Certificate
}

/**
 * Issues the self-signed certificate of an authority: it may sign server certificates only, no further authorities. All
 * certificates over the same key are the same identity.
 */
export async function makeAuthority(key: KeyObject, now: number): Promise<Authority> {
  const x509 = await certificateLibrary()
  const publicKey = publicDerOf(key)
  const keyId = await x509.SubjectKeyIdentifierExtension.create(publicKey)
  // Gives each appliance a distinct name in the certificate stores of browsers.
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

/** Issues a server certificate for a key and at least one name or address. */
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
