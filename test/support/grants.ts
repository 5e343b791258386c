import type { PermissionName } from '../../shared/access.ts'

/** A grant at the whole tenant, as bodies name it. */
export const atTenant = (permissionName: PermissionName) => ({ permissionName, scopeKind: 'Tenant' }) as const

/** A user as receiver of a grant, as bodies and queries name one. */
export const asUser = (id: string) => ({ principalKind: 'User', principalId: id }) as const
