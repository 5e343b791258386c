import { effectivePermissions } from '../../shared/api/effective-permissions.ts'
import { explainPermission } from '../services/rights/effective-permissions.ts'
import { implement } from './implement.ts'

export const effectivePermissionRoutes = implement(effectivePermissions, {
  get: ({ app }, { tenantId, params, query }) => explainPermission(app, tenantId, params.principalId, query),
})
