import { permissions, type PermissionName, type ScopeKind } from '../../shared/access.ts'
import type { Rule } from './rule-mirror.ts'

/** A thing that a permission is evaluated on, with everything that contains it. */
export type Resource =
  | { kind: 'Server' }
  | { kind: 'Tenant'; tenantId: string }
  | { kind: 'CustomerTenant' | 'DeviceGroup' | 'UserGroup'; id: string; tenantId: string }
  | { kind: 'Device'; id: string; tenantId: string; customerId: string | null; groupIds: readonly string[] }

/** Kind of principal whose rows are evaluated; decides at which scopes an allow counts. Groups count as users. */
export type Holder = 'User' | 'TenantServiceAccount' | 'ServerServiceAccount' | 'LogonToken'

/** Scopes where an allow of this holder counts; a deny counts everywhere. */
export function allowedAt(permission: PermissionName, holder: Holder): readonly ScopeKind[] {
  const legal = permissions.get(permission) ?? []
  switch (holder) {
    case 'ServerServiceAccount':
      return legal
    case 'TenantServiceAccount':
      return legal.filter((kind) => kind !== 'Server')
    case 'LogonToken':
      return legal.filter((kind) => kind === 'Device')
    case 'User':
      // Not device permissions on every device of the server.
      return legal.filter((kind) => kind !== 'Server' || !legal.includes('Device'))
  }
}

/** Tests whether some scopes include one; the id of the server is null. */
type Scopes = (kind: ScopeKind, id: string | null) => boolean

function scopesOf(rules: readonly Rule[]): Scopes {
  const ids = new Map(
    [...Map.groupBy(rules, ({ scopeKind }) => scopeKind)].map(([kind, rows]) => [
      kind,
      new Set(rows.map(({ scopeId }) => scopeId)),
    ]),
  )
  return (kind, id) => ids.get(kind)?.has(id) === true
}

/** Containment is not one chain: a customer and a group are parallel between a tenant and its devices. */
function contain(has: Scopes, resource: Resource): boolean {
  if (has('Server', null)) {
    return true
  }
  if (resource.kind === 'Server') {
    return false
  }
  if (has('Tenant', resource.tenantId)) {
    return true
  }
  if (resource.kind === 'Tenant') {
    return false
  }
  if (has(resource.kind, resource.id)) {
    return true
  }
  return (
    resource.kind === 'Device' &&
    ((resource.customerId !== null && has('CustomerTenant', resource.customerId)) ||
      resource.groupIds.some((groupId) => has('DeviceGroup', groupId)))
  )
}

const never = () => false

/** Tests whether a token still has the rights that it used to make something. */
export type StillAllows = (tokenId: string, resource: Resource) => boolean

/** Groups allows by the tokens that made them. */
function boundScopes(rules: readonly Rule[]): { tokens: readonly string[]; scopes: Scopes }[] {
  const byTokens = Map.groupBy(rules, ({ boundTo = [] }) => boundTo.join(' '))
  return [...byTokens.values()].map((own) => ({ tokens: own[0]?.boundTo ?? [], scopes: scopesOf(own) }))
}

/**
 * Compiles the question "may the holder of these rules use `permission` on …?". Any matching deny wins, whatever its
 * scope; then any matching allow at a scope kind that is legal for the permission; otherwise no. An allow that a token
 * made counts only while `stillAllows` is true for the token. Pure. Rules: docs/rights.md, "Evaluation".
 */
export function evaluator(
  rules: readonly Rule[],
  permission: PermissionName,
  holder: Holder = 'User',
  stillAllows: StillAllows = never,
): (resource: Resource) => boolean {
  const legal = allowedAt(permission, holder)
  const relevant = rules.filter((rule) => rule.isEnabled && rule.permissionName === permission)
  const allowing = relevant.filter(({ effect, scopeKind }) => effect === 'Allow' && legal.includes(scopeKind))
  if (allowing.length === 0) {
    return never
  }
  const allows = scopesOf(allowing.filter(({ boundTo }) => boundTo === undefined))
  const bound = boundScopes(allowing.filter(({ boundTo }) => boundTo !== undefined))
  const denying = relevant.filter(({ effect }) => effect === 'Deny')
  const denies = scopesOf(denying)
  const isAllowed =
    bound.length === 0
      ? (resource: Resource) => contain(allows, resource)
      : (resource: Resource) =>
          contain(allows, resource) ||
          bound.some(
            ({ tokens, scopes }) => contain(scopes, resource) && tokens.every((id) => stillAllows(id, resource)),
          )
  return denying.length === 0 ? isAllowed : (resource) => isAllowed(resource) && !contain(denies, resource)
}

/** True if one rule alone applies to a thing. */
export const covers = ({ scopeKind, scopeId }: Rule, resource: Resource): boolean =>
  contain((kind, id) => kind === scopeKind && id === scopeId, resource)
