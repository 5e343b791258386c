import { tenants } from '../../shared/api/tenants.ts'
import { presentTenant } from '../presenters/tenant.ts'
import { createTenant, deleteTenant, getTenant, listTenants, renameTenant } from '../services/organization/tenants.ts'
import { callerOf, implement } from './implement.ts'

export const tenantRoutes = implement(tenants, {
  create: async ({ app }, { body }) => presentTenant(await createTenant(app, body.name)),
  list: async ({ app }) => ({ items: (await listTenants(app)).map(presentTenant) }),
  get: async ({ app }, { tenantId }) => presentTenant(await getTenant(app, tenantId)),
  update: async ({ app }, { tenantId, body }) => presentTenant(await renameTenant(app, tenantId, body.name)),
  delete: (context, { tenantId }) => deleteTenant(context, callerOf(context), tenantId),
})
