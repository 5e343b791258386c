import { tenantSettings } from '../../shared/api/tenant-settings.ts'
import type { Context } from '../context.ts'
import { tenantSettings as settings } from '../services/organization/tenant-settings.ts'
import { getTenant } from '../services/organization/tenants.ts'
import { implement } from './implement.ts'

/** Only a server service account can name a tenant that does not exist: 404. */
const appWith = async ({ app }: Context, tenantId: string) => {
  await getTenant(app, tenantId)
  return app
}

export const tenantSettingsRoutes = implement(tenantSettings, {
  getAll: async (context, { tenantId }) => settings.getAll(await appWith(context, tenantId), tenantId),
  get: async (context, { tenantId, params }) =>
    settings.get(await appWith(context, tenantId), tenantId, params.settingName),
  set: async (context, { tenantId, body }) => settings.set(await appWith(context, tenantId), tenantId, body),
  replaceAll: async (context, { tenantId, body }) =>
    settings.replaceAll(await appWith(context, tenantId), tenantId, body),
  delete: async (context, { tenantId, params }) =>
    settings.delete(await appWith(context, tenantId), tenantId, params.settingName),
})
