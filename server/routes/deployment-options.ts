import { deploymentOptions } from '../../shared/api/deployment-options.ts'
import { deploymentOptionsOf, maySetTags } from '../services/agents/deployment-options.ts'
import { callerOf, implement } from './implement.ts'

export const deploymentOptionsRoutes = implement(deploymentOptions, {
  get: ({ app }, { tenantId }) => deploymentOptionsOf(app, tenantId),
  tagCapability: async (context, { tenantId, body }) => ({
    allowed: await maySetTags(context.app, callerOf(context), tenantId, body),
  }),
})
