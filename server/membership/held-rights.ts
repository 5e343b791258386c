import type { PermissionName } from '../../shared/access.ts'
import type { HeldRightsDto, RightsSummaryDto } from '../../shared/api/appliance-people.ts'
import { rolesIn } from '../../shared/roles.ts'
import type { Call } from '../call/call.ts'
import type { Rule } from '../rights/rules.ts'
import { namesOf } from '../assignments/readable-names.ts'
import { mapInSlices } from '../ground/clock.ts'
import { holds, maySeeServerRows } from '../rights/rights.ts'

/*
 * Rights of people and user groups as an administrator reads them. Rows at the server are for those who may read them,
 * and a name is shown only to readers of the thing.
 */

/** Principal that gives rights: a person itself (null), or a user group. */
export interface Source {
  group: { id: string; name: string | null } | null
  rules: readonly Rule[]
}

type Reader = Pick<Call, 'app' | 'principal'>

const namesIn = (rules: readonly Rule[]) => rules.map(({ permissionName }) => permissionName as PermissionName)

/** Tells which rules the principal may see: those of the tenant, and those of the server only for their readers. */
export function visibility({ app, principal }: Reader, tenantId: string): (rule: Rule) => boolean {
  const seesServer = maySeeServerRows(app, principal)
  return ({ scopeKind, scopeId }: Rule) =>
    scopeKind === 'Server' ? seesServer : scopeKind !== 'Tenant' || scopeId === tenantId
}

/** Whether a caller may read rights in a tenant at all. */
export const mayReadRights = ({ app, principal }: Reader, tenantId: string): boolean =>
  holds(app, principal, 'tenant.permissions.read', tenantId) || maySeeServerRows(app, principal)

/** Rights in a list: everywhere in the tenant or server first, then by what is held at narrower places. */
export function summarize(reader: Reader, tenantId: string, rules: readonly Rule[]): RightsSummaryDto[] {
  const counting = rules.filter(visibility(reader, tenantId)).filter(({ isEnabled }) => isEnabled)
  const isWide = ({ scopeKind }: Rule) => scopeKind === 'Server' || scopeKind === 'Tenant'
  const denied = new Set(
    counting.filter((rule) => rule.effect === 'Deny' && isWide(rule)).map(({ permissionName }) => permissionName),
  )
  const allows = counting.filter(({ effect, permissionName }) => effect === 'Allow' && !denied.has(permissionName))
  const places = Map.groupBy(allows, ({ scopeKind, scopeId }) => `${scopeKind} ${scopeId ?? ''}`)
  const at = (key: string) => namesIn(places.get(key) ?? [])
  const server = rolesIn(at('Server '), 'Server')
  const tenant = rolesIn(at(`Tenant ${tenantId}`), 'Tenant', server.roles)
  const wide = { roles: [...server.roles, ...tenant.roles], beyond: [...server.beyond, ...tenant.beyond] }
  const narrow = [...places.values()]
    .filter(([first]) => !isWide(first!))
    .map((same) => rolesIn(namesIn(same), same[0]!.scopeKind))
  const alike = Map.groupBy(narrow, ({ roles, beyond }) => [...roles, ...beyond.toSorted()].join())
  return [
    ...(wide.roles.length + wide.beyond.length > 0 ? [{ ...wide, places: null }] : []),
    ...[...alike.values()].map((same) => ({ ...same[0]!, places: same.length })),
  ]
}

/** Rights by source and place, the widest place first. */
export async function describeRights(
  call: Call,
  tenantId: string,
  sources: readonly Source[],
): Promise<HeldRightsDto[]> {
  const isVisible = visibility(call, tenantId)
  const visible = sources.map(({ group, rules }) => ({ group, rules: rules.filter(isVisible) }))
  const ids = visible.flatMap(({ rules }) => rules.flatMap(({ scopeId }) => scopeId ?? []))
  const names = await namesOf(call, tenantId, ids)
  const places = visible.flatMap(({ group, rules }) => {
    const byPlace = Map.groupBy(
      rules,
      ({ effect, scopeKind, scopeId, isEnabled }) => `${effect} ${scopeKind} ${scopeId} ${isEnabled}`,
    )
    return [...byPlace.values()].map((same) => ({ group, same }))
  })
  return mapInSlices(places, ({ group, same }): HeldRightsDto => {
    const { effect, scopeKind, scopeId, isEnabled } = same[0]!
    const permissions = [...new Set(namesIn(same))].toSorted()
    return {
      effect,
      scopeKind,
      scopeId,
      scopeName: scopeId === null ? null : (names.get(scopeId) ?? null),
      group,
      isEnabled,
      ...rolesIn(permissions, scopeKind),
      permissions,
    }
  })
}
