import type { PermissionName } from '../../shared/access.ts'

/** Grant at the whole tenant, as in request bodies. */
export const atTenant = (permissionName: PermissionName) => ({ permissionName, scopeKind: 'Tenant' }) as const

/** User as receiver of a grant, as in request bodies and queries. */
export const asUser = (id: string) => ({ principalKind: 'User', principalId: id }) as const
