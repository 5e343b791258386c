import type { PermissionName, ScopeKind } from '../../shared/access.ts'
import type { HeldRightsDto, RightsSummaryDto } from '../../shared/api/appliance-people.ts'
import { rolesIn } from '../../shared/roles.ts'
import type { Call } from '../call/call.ts'
import type { Rule } from '../rights/rule-mirror.ts'
import { namesOf } from '../assignments/readable-names.ts'
import { mapInSlices, TimeSlice } from '../ground/clock.ts'
import { countPlaces, rightsByPlace, joinRights, type RightsByPlace, type PlaceCount } from './rights-by-place.ts'
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

/** Counts the places where some sources together give the same rights. */
async function countJoined(held: readonly RightsByPlace[], slice: TimeSlice): Promise<readonly PlaceCount[]> {
  const [first, ...others] = held.filter(({ narrow }) => narrow.size > 0)
  if (others.length === 0) {
    return first?.counts ?? []
  }
  const joined = new Map(first?.narrow)
  for (const { narrow } of others) {
    for (const [place, rights] of narrow) {
      if (slice.isOver) {
        await slice.yield()
      }
      const former = joined.get(place)
      joined.set(place, former ? joinRights(former, rights) : rights)
    }
  }
  return countPlaces(joined)
}

/** Rights in a list: everywhere in the tenant or server first, then by what is held at narrower places. */
export async function summarize(
  reader: Reader,
  tenantId: string,
  sources: readonly (readonly Rule[])[],
  slice = new TimeSlice(),
): Promise<RightsSummaryDto[]> {
  const held: RightsByPlace[] = []
  for (const rules of sources) {
    if (slice.isOver) {
      await slice.yield()
    }
    held.push(await rightsByPlace(rules, slice))
  }
  const wide = held.flatMap((places) => places.wide).filter(visibility(reader, tenantId))
  const denied = new Set(namesIn(wide.filter(({ effect }) => effect === 'Deny')))
  const allowed = (names: readonly PermissionName[]) => names.filter((name) => !denied.has(name))
  const at = (kind: ScopeKind) =>
    allowed(namesIn(wide.filter(({ effect, scopeKind }) => effect === 'Allow' && scopeKind === kind)))
  const server = rolesIn(at('Server'), 'Server')
  const tenant = rolesIn(at('Tenant'), 'Tenant', server.roles)
  const everywhere = { roles: [...server.roles, ...tenant.roles], beyond: [...server.beyond, ...tenant.beyond] }
  const alike = new Map<string, RightsSummaryDto & { places: number }>()
  for (const { rights, places } of await countJoined(held, slice)) {
    if (slice.isOver) {
      await slice.yield()
    }
    const roles = rolesIn(allowed(rights.permissions), rights.scopeKind)
    const key = [...roles.roles, ...roles.beyond.toSorted()].join()
    alike.set(key, { ...roles, places: places + (alike.get(key)?.places ?? 0) })
  }
  // Places whose rights are all denied.
  alike.delete('')
  return [
    ...(everywhere.roles.length + everywhere.beyond.length > 0 ? [{ ...everywhere, places: null }] : []),
    ...alike.values(),
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
  const places = await mapInSlices(visible, ({ group, rules }) => {
    const byPlace = Map.groupBy(
      rules,
      ({ effect, scopeKind, scopeId, isEnabled }) => `${effect} ${scopeKind} ${scopeId} ${isEnabled}`,
    )
    return [...byPlace.values()].map((same) => ({ group, same }))
  })
  return mapInSlices(places.flat(), ({ group, same }): HeldRightsDto => {
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
