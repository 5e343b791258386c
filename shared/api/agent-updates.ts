import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import { AgentBundleMetadataDto, runtimes } from '../dtos/agent-bundle.ts'

const identifiers = Object.keys(runtimes) as (keyof typeof runtimes)[]

/** Systems known to existing agents also have a number: their index in the list. */
const numberedCount = 5
const numberOf = (index: number) => (index < numberedCount ? String(index) : undefined)

/** Accepts the identifier, the name used by existing agents, or the number; in any letter case. */
const runtime = z.preprocess((value) => {
  const text = String(value).toLowerCase()
  return identifiers.find((id, index) => [id, runtimes[id].toLowerCase(), numberOf(index)].includes(text)) ?? value
}, z.enum(identifiers))

const metadata = {
  method: 'GET',
  access: 'anonymous',
  tenant: 'none',
  params: z.object({ runtime: runtime.describe('System and processor: a name of the list, in any letter case.') }),
  response: AgentBundleMetadataDto,
  cacheSeconds: 600,
} as const

export const agentUpdates = defineRoutes('AgentUpdates', {
  metadata: {
    ...metadata,
    path: '/api/agent/updates/get-bundle-metadata/:runtime',
    summary: 'Where the agent program for a system is, and its hashes',
  },
  metadataLegacy: {
    ...metadata,
    path: '/api/agent-update/get-bundle-metadata/:runtime',
    summary: 'The same, for older agents',
  },
})
