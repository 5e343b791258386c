import { tenants } from '../../shared/api/tenants.ts'
import { presentTenant } from '../presenters/tenant.ts'
import { createTenant, deleteTenant, getTenant, listTenants, renameTenant } from '../services/organization/tenants.ts'
import { implement } from './implement.ts'

export const tenantRoutes = implement(tenants, {
  create: async (call, { body }) => presentTenant(await createTenant(call, body.name)),
  list: async (call) => ({ items: (await listTenants(call)).map(presentTenant) }),
  get: async (call, { tenantId }) => presentTenant(await getTenant(call, tenantId)),
  update: async (call, { tenantId, body }) => presentTenant(await renameTenant(call, tenantId, body.name)),
  delete: (call, { tenantId }) => deleteTenant(call, tenantId),
})
