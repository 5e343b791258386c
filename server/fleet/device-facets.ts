import type { DeviceFacetsDto, FacetValueDto } from '../../shared/api/appliance-device-search.ts'
import { noneValue, systemNames } from '../../shared/device-query.ts'
import type { Call } from '../call/call.ts'
import type { DeviceList } from './device-list.ts'
import { without } from './facet-counts.ts'
import { holds } from '../rights/rights.ts'
import { compileQuery, namesOf, outdatedTest } from './device-query.ts'
import { starredIdsOf } from './stars.ts'

/** Values of a field in an answer; others can be typed. */
const maxValues = 200

const byCount = (a: FacetValueDto, b: FacetValueDto) => b.count - a.count || a.value.localeCompare(b.value)

/** Counts by name. Equal names, of several tenants, are one value. */
function named(counts: ReadonlyMap<string, number>, names: ReadonlyMap<string, string>): FacetValueDto[] {
  const values = new Map<string, FacetValueDto>()
  for (const [id, count] of counts) {
    const value = id === without ? noneValue : names.get(id)
    if (value !== undefined) {
      const known = values.get(value)
      values.set(value, { value, id: id === without ? null : id, count: count + (known?.count ?? 0) })
    }
  }
  return [...values.values()].toSorted(byCount).slice(0, maxValues)
}

const unnamed = (counts: Iterable<readonly [string | undefined, number]>): FacetValueDto[] =>
  [...counts]
    .flatMap(([value, count]) => (value ? { value, id: null, count } : []))
    .toSorted(byCount)
    .slice(0, maxValues)

/** Values of each field of a typed search, with their counts. */
export async function facetsOf(call: Call, devices: DeviceList, query: string): Promise<DeviceFacetsDto> {
  const { app, principal } = call
  const mayReadGroups = holds(app, principal, 'tenant.device-groups.read', principal.tenantId ?? undefined)
  const [{ text, tests }, starredIds, tags, customers, groups] = await Promise.all([
    compileQuery(call, query),
    starredIdsOf(call),
    namesOf(call, 'tags'),
    namesOf(call, 'customers'),
    mayReadGroups ? namesOf(call, 'device_groups') : null,
  ])
  const counts = await devices.facets({ text, tests, starredIds, isOutdated: outdatedTest(call) })
  const { total, online, offline, starred, outdated, diskFull } = counts
  return {
    total,
    hidden: counts.withText - total,
    tag: named(counts.tags, tags),
    customer: named(counts.customers, customers),
    group: groups && named(counts.groups, groups),
    system: unnamed([...counts.systems].map(([number, count]) => [systemNames.get(number), count])),
    version: unnamed(counts.versions),
    online,
    offline,
    starred,
    outdated,
    diskFull,
  }
}
