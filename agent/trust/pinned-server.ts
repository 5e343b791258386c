import { z } from 'zod'
import { ReleaseKey } from '../../shared/agent-release.ts'
import { Pin } from '../../shared/server-identity.ts'

/** Identity of a server and its newest statement; contains no secrets. */
export const PinnedServer = z.object({
  pin: Pin.meta({ description: "Of the authority's key: the identity." }),
  name: z.string().max(255),
  key: z.base64().max(1000).nullable().describe('That key itself; asked for where it is missing.'),
  /** Values from the newest statement. */
  serverPin: Pin.nullable(),
  issuedAt: z.iso.datetime().nullable(),
  expiresAt: z.iso.datetime().nullable().default(null).describe('Of that statement, if it names an end.'),
  releaseKey: ReleaseKey.nullable().default(null).describe('Key that signs its agents, once it is known.'),
})
export type PinnedServer = z.output<typeof PinnedServer>
