import { effectivePermissions } from '../../shared/api/effective-permissions.ts'
import { explainPermission } from '../services/rights/effective-permissions.ts'
import { implement } from './implement.ts'

export const effectivePermissionRoutes = implement(effectivePermissions, {
  get: (call, { tenantId, params, query }) => explainPermission(call, tenantId, params.principalId, query),
})
