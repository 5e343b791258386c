import { applianceUpdates } from '../../shared/api/appliance-updates.ts'
import type { App } from '../call/call.ts'
import { presentUpdates } from './present.ts'
import { isDue, resumeRollouts } from '../agents/rollout.ts'
import { checkForUpdates } from './check.ts'
import { goBack, startInstall } from './install.ts'
import { updateOverview } from './update-overview.ts'
import { implement } from '../surface/implement.ts'

const stateOf = async (app: App) => presentUpdates(await updateOverview(app))

export const applianceUpdateRoutes = implement(applianceUpdates, {
  state: ({ app }) => stateOf(app),
  check: async (call) => {
    await checkForUpdates(call)
    return stateOf(call.app)
  },
  install: async (call, { body }) => {
    await startInstall(call, body.version)
    return stateOf(call.app)
  },
  back: async (call) => {
    await goBack(call)
    return stateOf(call.app)
  },
  resumeRollout: async (call) => {
    await resumeRollouts(call)
    return stateOf(call.app)
  },
  isDue: async ({ app }, { params, query }) => ({ isDue: await isDue(app, params.deviceId, query.version) }),
})
