import { tenantSettings } from '../../shared/api/tenant-settings.ts'
import type { Call } from '../call.ts'
import { tenantSettings as settings } from '../services/organization/tenant-settings.ts'
import { getTenant } from '../services/organization/tenants.ts'
import { implement } from './implement.ts'

/** Throws 404 for an unknown tenant, which only a server service account can name. */
async function inTenant(call: Call, tenantId: string): Promise<Call> {
  await getTenant(call, tenantId)
  return call
}

export const tenantSettingsRoutes = implement(tenantSettings, {
  getAll: async (call, { tenantId }) => settings.getAll(await inTenant(call, tenantId), tenantId),
  get: async (call, { tenantId, params }) => settings.get(await inTenant(call, tenantId), tenantId, params.settingName),
  set: async (call, { tenantId, body }) => settings.set(await inTenant(call, tenantId), tenantId, body),
  replaceAll: async (call, { tenantId, body }) => settings.replaceAll(await inTenant(call, tenantId), tenantId, body),
  delete: async (call, { tenantId, params }) =>
    settings.delete(await inTenant(call, tenantId), tenantId, params.settingName),
})
