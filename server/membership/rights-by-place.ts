import type { PermissionName, ScopeKind } from '../../shared/access.ts'
import type { TimeSlice } from '../ground/clock.ts'
import type { Rule } from '../rights/rule-mirror.ts'

/** Permissions that are allowed at one place. */
export interface PlaceRights {
  scopeKind: ScopeKind
  permissions: readonly PermissionName[]
  /** Equal for equal rights at places of one kind. */
  key: string
}

export interface PlaceCount {
  rights: PlaceRights
  places: number
}

export interface RightsByPlace {
  /** Enabled rules at the server or a tenant: a few for each permission. */
  wide: readonly Rule[]
  /** Rights at the other places, by kind and id; there may be thousands. */
  narrow: ReadonlyMap<string, PlaceRights>
  counts: readonly PlaceCount[]
}

const isWide = ({ scopeKind }: Rule): boolean => scopeKind === 'Server' || scopeKind === 'Tenant'

function rightsAt(scopeKind: ScopeKind, names: Iterable<string>): PlaceRights {
  const permissions = [...new Set(names)].toSorted()
  return { scopeKind, permissions: permissions as PermissionName[], key: [scopeKind, ...permissions].join(' ') }
}

/** Counts the places with the same rights. */
export function countPlaces(narrow: RightsByPlace['narrow']): readonly PlaceCount[] {
  const counts = new Map<string, PlaceCount>()
  for (const rights of narrow.values()) {
    const count = counts.get(rights.key)
    if (count) {
      count.places++
    } else {
      counts.set(rights.key, { rights, places: 1 })
    }
  }
  return [...counts.values()]
}

async function placesIn(rules: readonly Rule[], slice: TimeSlice): Promise<RightsByPlace> {
  const enabled = rules.filter(({ isEnabled }) => isEnabled)
  const allows = enabled.filter((rule) => rule.effect === 'Allow' && !isWide(rule))
  const byPlace = Map.groupBy(allows, ({ scopeKind, scopeId }) => `${scopeKind} ${scopeId}`)
  const narrow = new Map<string, PlaceRights>()
  for (const [place, own] of byPlace) {
    if (slice.isOver) {
      await slice.yield()
    }
    const names = own.map(({ permissionName }) => permissionName)
    narrow.set(place, rightsAt(own[0]!.scopeKind, names))
  }
  return { wide: enabled.filter(isWide), narrow, counts: countPlaces(narrow) }
}

/** Places of lists that the mirror keeps until they change: a list may have 20,000 rules, and many people share a group. */
const known = new WeakMap<readonly Rule[], RightsByPlace>()

/** Places where a list of the mirror of rules gives rights. */
export async function rightsByPlace(rules: readonly Rule[], slice: TimeSlice): Promise<RightsByPlace> {
  const places = known.get(rules) ?? (await placesIn(rules, slice))
  known.set(rules, places)
  return places
}

/** Rights that two sources give at the same place. */
export const joinRights = (a: PlaceRights, b: PlaceRights): PlaceRights =>
  a.key === b.key ? a : rightsAt(a.scopeKind, [...a.permissions, ...b.permissions])
