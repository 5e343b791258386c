import { applianceConsent } from '../../shared/api/appliance-consent.ts'
import { notFound } from '../ground/errors.ts'
import { implement } from '../surface/implement.ts'
import { clearAnswers, deviceConsent } from './consent.ts'
import { createPolicy, deletePolicy, listPolicies, updatePolicy } from './consent-policies.ts'
import { presentPolicy } from './present.ts'

export const applianceConsentRoutes = implement(applianceConsent, {
  list: async (call, { tenantId }) => ({ items: (await listPolicies(call, tenantId)).map(presentPolicy) }),
  create: async (call, { tenantId, body }) => presentPolicy(await createPolicy(call, tenantId, body)),
  update: async (call, { tenantId, params, body }) =>
    presentPolicy(await updatePolicy(call, tenantId, params.policyId, body)),
  delete: (call, { tenantId, params }) => deletePolicy(call, tenantId, params.policyId),
  device: (call, { device }) => deviceConsent(call, device),
  async clear(call, { tenantId, params }) {
    const device = call.app.fleet.get(params.deviceId)
    if (device?.tenantId !== tenantId) {
      throw notFound('device')
    }
    await clearAnswers(call, device)
  },
})
