import { z } from 'zod'
import { RuntimeId } from './dtos/agent-bundle.ts'

/** Public half of the Ed25519 key that signs the agents of a server: base64 of its SubjectPublicKeyInfo. */
export const ReleaseKey = z.base64().length(60)
export type ReleaseKey = z.output<typeof ReleaseKey>

/** More keys than an appliance needs in its life; an agent that trusts only older keys must be reinstalled. */
export const mostReleaseKeys = 16

export const NamedReleaseKey = z.object({
  key: ReleaseKey,
  signature: z
    .base64()
    .max(100)
    .nullable()
    .describe('Of `succession`, by the key before this one; null for the first.'),
})
export type NamedReleaseKey = z.output<typeof NamedReleaseKey>

/** Text that a release key signs to name its successor. */
export const succession = (next: ReleaseKey): string => `farhand-release-key-1\n${next}`

const hash = z.string().regex(/^[\dA-F]{64}$/)

/** An agent for one system, as offered by the appliance. Parse only after verifying its signature. */
export const AgentReleaseStatement = z.object({
  purpose: z.literal('farhand-agent-1').describe('The key signs nothing else that looks like this.'),
  runtime: RuntimeId,
  version: z.string().max(100),
  build: z
    .number()
    .int()
    .positive()
    .describe(
      'Grows with everything the appliance signs: the time of signing, in ms since 1970. An agent never goes back.',
    ),
  bundleSha256: hash.describe('Of the bundle as zip.'),
  tarSha256: hash.nullable().describe('Of the same bundle as tar.gz; null where there is none.'),
  installerSha256: hash,
})
export type AgentReleaseStatement = z.output<typeof AgentReleaseStatement>
