import 'reflect-metadata'
import * as x509 from '@peculiar/x509'
import { X509Certificate, type KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import { dayMs } from '../../../shared/durations.ts'
import { publicDerOf } from './keys.ts'
import { normalName } from './certificate-names.ts'
import { authorityLifeMs, leafLifeMs } from './validity.ts'

/** Backdates certificates, so that a clock slightly ahead does not make them valid only in the future. */
const backdatedMs = dayMs

const forServers = new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth])

async function signed(contents: Omit<x509.X509CertificateCreateWithKeyParams, 'signingKey'>, key: KeyObject) {
  const signingKey = key.toCryptoKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  const { rawData } = await x509.X509CertificateGenerator.create({ ...contents, signingKey })
  return new X509Certificate(Buffer.from(rawData))
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
export async function makeAuthority(key: KeyObject, now: number): Promise<Authority> {
  const publicKey = publicDerOf(key)
  const keyId = await x509.SubjectKeyIdentifierExtension.create(publicKey)
  // Gives each appliance a distinct name in the certificate stores of browsers.
  const name = `CN=Farhand ${keyId.keyId.slice(0, 8).toUpperCase()}, O=Farhand`
  const certificate = await signed(
    {
      subject: name,
      issuer: name,
      notBefore: new Date(now - backdatedMs),
      notAfter: new Date(now + authorityLifeMs),
      publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(true, 0, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
        forServers,
        keyId,
      ],
    },
    key,
  )
  return { key, certificate }
}

const alternativeName = (name: string): x509.JsonGeneralName => ({
  type: isIP(name) === 0 ? 'dns' : 'ip',
  value: normalName(name) ?? name,
})

/** Issues a server certificate for a key and at least one name or address. */
export async function makeLeaf(
  authority: Authority,
  key: KeyObject,
  names: readonly string[],
  now: number,
): Promise<X509Certificate> {
  const publicKey = publicDerOf(key)
  const issuer = new x509.X509Certificate(authority.certificate.raw)
  return await signed(
    {
      subject: [{ CN: [(names[0] ?? '').slice(0, 64)] }],
      // The name as it stands: some programs compare its bytes.
      issuer: issuer.subjectName,
      notBefore: new Date(now - backdatedMs),
      notAfter: new Date(Math.min(now - backdatedMs + leafLifeMs, authority.certificate.validToDate.getTime())),
      publicKey,
      extensions: [
        new x509.BasicConstraintsExtension(false, undefined, true),
        new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
        forServers,
        new x509.SubjectAlternativeNameExtension(names.map(alternativeName)),
        await x509.SubjectKeyIdentifierExtension.create(publicKey),
        await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ],
    },
    authority.key,
  )
}
