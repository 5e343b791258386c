import { z } from 'zod'

/** Four numbers with dots, such as `0.2.0.0`. */
export const releaseVersion = z.string().regex(/^\d{1,5}(\.\d{1,5}){3}$/)

/** Negative if `a` is older than `b`, 0 if equal. Missing numbers count as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split('.').map(Number))
  for (let place = 0; place < 4; place++) {
    const difference = (left![place] ?? 0) - (right![place] ?? 0)
    if (difference !== 0) {
      return difference
    }
  }
  return 0
}

/** Path below the feed: up to four names that begin with a letter or digit, so none is `..` or hidden. */
const filePath = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][\w.+-]*(\/[A-Za-z0-9][\w.+-]*){0,3}$/)

const mostFileBytes = 2 * 1024 ** 3

export const ReleaseFile = z.object({
  path: filePath,
  kind: z.enum(['server', 'desktop', 'agents', 'sbom', 'notices']),
  platform: z
    .string()
    .regex(/^(linux|darwin|win32)-(x64|arm64)$/)
    .nullable()
    .describe('System and processor as Node names them; null for files that fit everywhere.'),
  bytes: z.int().min(1).max(mostFileBytes),
  sha256: z.string().regex(/^[\da-f]{64}$/),
})
export type ReleaseFile = z.output<typeof ReleaseFile>

const moment = z.int().positive()

/** A release of the appliance. Parse only after verifying the signature. */
export const ReleaseStatement = z.object({
  purpose: z.literal('farhand-release-1').describe('The key signs nothing else that looks like this.'),
  version: releaseVersion,
  minimumVersion: releaseVersion.describe('Oldest version that may update to this one directly.'),
  signedAt: moment.describe('Ms since 1970. A server refuses a statement that is older than the newest it has seen.'),
  expiresAt: moment.describe('A feed that shows nothing newer by then is stale or frozen.'),
  notes: z.string().max(20_000).describe('Markdown.'),
  files: z.array(ReleaseFile).min(1).max(100),
})
export type ReleaseStatement = z.output<typeof ReleaseStatement>

/** Raw Ed25519 public key, 32 bytes in base64. */
export const ReleasePublicKey = z.base64().length(44)

/** `release.json` of a feed: exactly the signed bytes, and a signature by each key, so that keys can be replaced. */
export const SignedRelease = z.object({
  statement: z.base64().max(200_000),
  signatures: z
    .array(z.object({ key: ReleasePublicKey, signature: z.base64().length(88) }))
    .min(1)
    .max(8),
})
export type SignedRelease = z.output<typeof SignedRelease>

/** Name of the signed file in a feed. */
export const releaseFileName = 'release.json'
/** Longest accepted `release.json`. */
export const mostReleaseBytes = 256 * 1024

interface UrlFields {
  protocol: string
  hostname: string
  username: string
  password: string
  search: string
  hash: string
}

/** Accepts https, and http on this machine alone: anybody between could otherwise hold back releases unnoticed. */
export function isFeedUrl<T extends UrlFields>(url: T | null): url is T {
  const isHere = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname)
  const isPlain = url !== null && !url.username && !url.password && !url.search && !url.hash
  return isPlain && (url.protocol === 'https:' || (url.protocol === 'http:' && isHere))
}
