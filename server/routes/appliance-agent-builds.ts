import { applianceAgentBuilds } from '../../shared/api/appliance-agent-builds.ts'
import { implement } from './implement.ts'

export const applianceAgentBuildRoutes = implement(applianceAgentBuilds, {
  get: ({ app }) => ({ build: app.agentBuilds.current ?? null }),
  start: ({ app, actor }, { body }) => app.agentBuilds.start(body.runtime, actor),
})
