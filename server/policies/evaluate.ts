import { permissions, type PermissionName, type ScopeKind } from '../../shared/access.ts'

/** One permission assignment of a principal. */
export interface Rule {
  permissionName: string
  effect: 'Allow' | 'Deny'
  scopeKind: ScopeKind
  scopeId: string | null
  isEnabled: boolean
}

/** A thing that a permission is evaluated on, with everything that contains it. */
export type Resource =
  | { kind: 'Server' }
  | { kind: 'Tenant'; tenantId: string }
  | { kind: 'DeviceGroup' | 'UserGroup'; id: string; tenantId: string }
  | { kind: 'Device'; id: string; tenantId: string; customerId: string | null; groupIds: readonly string[] }

function contains(rule: Rule, resource: Resource): boolean {
  if (rule.scopeKind === 'Server') {
    return true
  }
  if (resource.kind === 'Server') {
    return false
  }
  if (rule.scopeKind === 'Tenant') {
    return rule.scopeId === resource.tenantId
  }
  if (resource.kind === 'Tenant') {
    return false
  }
  if (rule.scopeKind === resource.kind) {
    return rule.scopeId === resource.id
  }
  if (resource.kind !== 'Device' || rule.scopeId === null) {
    return false
  }
  return rule.scopeKind === 'CustomerTenant'
    ? rule.scopeId === resource.customerId
    : rule.scopeKind === 'DeviceGroup' && resource.groupIds.includes(rule.scopeId)
}

/**
 * Compiles the question "may the holder of these rules use `permission` on …?". Any matching deny wins, whatever its
 * scope; then any matching allow at a scope kind that is legal for the permission; otherwise no. Pure. Source: the
 * contract's `permissions.md` section 3.
 */
export function evaluator(rules: readonly Rule[], permission: PermissionName): (resource: Resource) => boolean {
  const legal = permissions.get(permission) ?? []
  const relevant = rules.filter((rule) => rule.isEnabled && rule.permissionName === permission)
  const denies = relevant.filter((rule) => rule.effect === 'Deny')
  const allows = relevant.filter((rule) => rule.effect === 'Allow' && legal.includes(rule.scopeKind))
  return (resource) =>
    allows.some((rule) => contains(rule, resource)) && !denies.some((rule) => contains(rule, resource))
}
