import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { AgentBuildDto, StartAgentBuildDto } from '../dtos/agent-build.ts'

const ofServer = { access: { permission: 'server.settings.write', on: 'server' }, tenant: 'none' } as const

/**
 * Agents for other systems, built by this server. Available only when it runs from a checkout, which contains the build
 * tools.
 */
export const applianceAgentBuilds = defineRoutes('AgentBuilds', {
  get: {
    ...ofServer,
    method: 'GET',
    path: '/api/appliance/v1/agent-builds',
    summary: 'The last build since the start of the server, with what it has said so far',
    problems: { 404: 'This server was not started from a checkout, so it cannot build agents.' },
    response: dto('AgentBuildsDto', {
      build: AgentBuildDto.nullable().describe(
        'The build that runs, or the last one since the server started; null before the first.',
      ),
    }),
  },
  start: {
    ...ofServer,
    method: 'POST',
    path: '/api/appliance/v1/agent-builds',
    summary: 'Build the agent for a system; Node and the native parts come from the npm registry the first time',
    problems: {
      404: 'This server was not started from a checkout, so it cannot build agents.',
      409: 'One is being built; one at a time.',
    },
    body: StartAgentBuildDto,
    response: AgentBuildDto,
    status: 201,
  },
})
