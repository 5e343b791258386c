import { z } from 'zod'
import { listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { AgentReleaseDto } from '../dtos/agent-release.ts'

const ofServer = { access: { permission: 'server.settings.write', on: 'server' }, tenant: 'none' } as const
const AgentReleasesDto = listDto(
  'AgentReleasesDto',
  AgentReleaseDto,
  'One for each system that an agent is offered for.',
)

/** Agents that this server offers and signs. */
export const applianceAgentReleases = defineRoutes('AgentReleases', {
  list: {
    ...ofServer,
    method: 'GET',
    path: '/api/appliance/v1/agent-releases',
    summary: 'The agent that is offered for each system, and whether agents refuse it as older than one before',
    response: AgentReleasesDto,
  },
  stepBack: {
    ...ofServer,
    method: 'POST',
    path: '/api/appliance/v1/agent-releases/:build/step-back',
    summary: 'Sign that agents may go back to this release',
    params: z.object({ build: z.coerce.number().int().describe('Build as the list names it.') }),
    problems: { 409: 'It is not offered any more, or agents take it as it is.' },
    recentProof: true,
    response: AgentReleasesDto,
  },
  rotateKey: {
    ...ofServer,
    method: 'POST',
    path: '/api/appliance/v1/agent-releases/key/rotation',
    summary: 'Replace the key that signs agents; the key before names the new one, so that agents follow',
    recentProof: true,
  },
})
