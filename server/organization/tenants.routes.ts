import { tenantSettings } from '../../shared/api/tenant-settings.ts'
import { tenants } from '../../shared/api/tenants.ts'
import type { Call } from '../call/call.ts'
import { implement } from '../surface/implement.ts'
import { presentTenant } from './present.ts'
import { tenantSettings as settings } from '../settings/tenant-settings.ts'
import { createTenant, deleteTenant, getTenant, listTenants, renameTenant } from './tenants.ts'

export const tenantRoutes = implement(tenants, {
  create: async (call, { body }) => presentTenant(await createTenant(call, body.name)),
  list: async (call) => ({ items: (await listTenants(call)).map(presentTenant) }),
  get: async (call, { tenantId }) => presentTenant(await getTenant(call, tenantId)),
  update: async (call, { tenantId, body }) => presentTenant(await renameTenant(call, tenantId, body.name)),
  delete: (call, { tenantId }) => deleteTenant(call, tenantId),
})

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
