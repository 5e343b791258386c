import { z } from 'zod'
import { mostReleaseKeys, NamedReleaseKey } from './agent-release.ts'

/** Where a server that speaks TLS proves who it is; anonymous, and the only path that an agent asks before it knows. */
export const identityPath = '/.well-known/farhand-identity'

/** A public key as `curl --pinnedpubkey` takes it: SHA-256 of its SubjectPublicKeyInfo (DER) in base64. */
export const Pin = z.string().regex(/^sha256\/\/[\dA-Za-z+/]{43}=$/, 'must be sha256// followed by base64 of 32 bytes')
export type Pin = z.output<typeof Pin>

/** What the certificate authority of a server says of it. Read only after its signature was checked. */
export const IdentityStatement = z.object({
  purpose: z.literal('farhand-identity-1').describe('The key signs nothing else that looks like this.'),
  serverPin: Pin.describe('Key of the certificate that the server shows now, whoever issued it.'),
  name: z.string().max(255).describe('What people call this server.'),
  addresses: z
    .array(z.string().max(300))
    .max(64)
    .describe('Origins that agents may try, the best first: `https://192.168.1.20:5121`.'),
  issuedAt: z.iso.datetime().describe('Time of signing. Of two statements the newer one counts.'),
  expiresAt: z.iso.datetime().optional().describe('It counts no longer than this. Older servers name none.'),
  releaseKeys: z
    .array(NamedReleaseKey)
    .min(1)
    .max(mostReleaseKeys)
    .optional()
    .describe('Keys that sign agents, the one in use last, each named by the one before. Older servers name none.'),
})
export type IdentityStatement = z.output<typeof IdentityStatement>

export const ServerIdentityDto = z.object({
  authority: z.base64().describe('Certificate of the authority, DER.'),
  statement: z.base64().describe('JSON of the statement: exactly the bytes that are signed.'),
  signature: z.base64().describe("ECDSA with SHA-256 by the authority's key (P-256), DER."),
})
export type ServerIdentityDto = z.output<typeof ServerIdentityDto>

/** What an agent tells its server of something else that answered in its place. All of it may be made up (T18). */
export const WrongIdentityDto = z
  .object({
    agoMs: z
      .number()
      .int()
      .min(0)
      .max(366 * 86_400_000),
    address: z.string().max(300),
    expected: z.string().max(500),
    seen: z.string().max(1000),
  })
  .meta({ id: 'WrongIdentityDto' })
export type WrongIdentityDto = z.output<typeof WrongIdentityDto>

/** Where a server is, in an announcement that it has signed. A member of a TXT record holds 255 bytes with its name. */
export const SignedAddresses = z.object({
  addresses: z.string().max(240).describe('Origins with a space between them, the best first.'),
  issued: z.iso.datetime(),
  expires: z.iso.datetime(),
  signature: z.base64().max(200).describe("Of `announcedText`, by the authority's key, as of a statement."),
})
export type SignedAddresses = z.output<typeof SignedAddresses>

/** What is signed of it. */
export const announcedText = ({ addresses, issued, expires }: Omit<SignedAddresses, 'signature'>): string =>
  ['farhand-announcement-1', issued, expires, addresses].join('\n')

/**
 * The service that a server announces on its network (DNS-SD), and what its TXT record says. Anybody can announce what he
 * likes: they are hints where to look, and a signature tells those of the server from all others.
 */
export const announcedService = 'farhand'
export interface AnnouncedFacts extends SignedAddresses {
  /** Pin of the authority's key. */
  authority: Pin
  /** What people call this server. */
  name: string
}
