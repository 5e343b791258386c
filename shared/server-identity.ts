import { z } from 'zod'
import { dto, shortText } from './contract/fields.ts'
import { mostReleaseKeys, NamedReleaseKey } from './agent-release.ts'

/**
 * Path where a server with TLS proves its identity; anonymous, and the only path that an agent requests before it
 * trusts the server.
 */
export const identityPath = '/.well-known/farhand-identity'

/**
 * Hash of a public key in the notation of `curl --pinnedpubkey`: SHA-256 of its SubjectPublicKeyInfo (DER) in base64.
 */
export const Pin = z.string().regex(/^sha256\/\/[\dA-Za-z+/]{43}=$/, 'must be sha256// followed by base64 of 32 bytes')
export type Pin = z.output<typeof Pin>

/** Statement of a server's certificate authority about the server. Parse only after verifying its signature. */
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

/** Agent's report of a server with the wrong identity at its address. All of it may be forged (T18). */
export const WrongIdentityDto = dto('WrongIdentityDto', {
  agoMs: z
    .number()
    .int()
    .min(0)
    .max(366 * 86_400_000),
  address: shortText(300),
  expected: shortText(500),
  seen: shortText(1000),
})
export type WrongIdentityDto = z.output<typeof WrongIdentityDto>

/** Signed addresses of a server in an announcement. A member of a TXT record holds 255 bytes including its name. */
export const SignedAddresses = z.object({
  addresses: z.string().max(240).describe('Origins with a space between them, the best first.'),
  issued: z.iso.datetime(),
  expires: z.iso.datetime(),
  signature: z.base64().max(200).describe("Of `announcedText`, by the authority's key, as of a statement."),
})
export type SignedAddresses = z.output<typeof SignedAddresses>

/** Signed text of an announcement. */
export const announcedText = ({ addresses, issued, expires }: Omit<SignedAddresses, 'signature'>): string =>
  ['farhand-announcement-1', issued, expires, addresses].join('\n')

/**
 * Service type that a server announces on its network (DNS-SD), and the contents of its TXT record. Anyone can announce
 * anything: announcements are hints, and only a signature proves that one is the server's.
 */
export const announcedService = 'farhand'
export interface AnnouncedFacts extends SignedAddresses {
  /** Pin of the authority's key. */
  authority: Pin
  /** Display name of this server. */
  name: string
}
