import { applianceAgentReleases } from '../../shared/api/appliance-agent-releases.ts'
import { allowStepBack, listReleases, rotateReleaseKey } from '../services/agents/releases.ts'
import { implement } from './implement.ts'

export const applianceAgentReleaseRoutes = implement(applianceAgentReleases, {
  list: async (call) => ({ items: await listReleases(call) }),
  stepBack: async (call, { params }) => ({ items: await allowStepBack(call, params.build) }),
  rotateKey: (call) => rotateReleaseKey(call),
})
