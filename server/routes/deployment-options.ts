import { deploymentOptions } from '../../shared/api/deployment-options.ts'
import { deploymentOptionsOf, maySetTags } from '../services/agents/deployment-options.ts'
import { implement } from './implement.ts'

export const deploymentOptionsRoutes = implement(deploymentOptions, {
  get: (call, { tenantId }) => deploymentOptionsOf(call, tenantId),
  tagCapability: async (call, { tenantId, body }) => ({
    allowed: await maySetTags(call, tenantId, body),
  }),
})
