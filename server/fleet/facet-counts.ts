import { fullDiskPercent } from '../../shared/dtos/device.ts'
import { TimeSlice } from '../ground/clock.ts'
import type { FleetEntry } from './device-state.ts'
import { numberColumns, type Test } from './search-filters.ts'
import type { DeviceIndex } from './search-index.ts'

export type FacetField =
  | 'tag'
  | 'customer'
  | 'group'
  | 'system'
  | 'version'
  | 'presence'
  | 'starred'
  | 'outdated'
  | 'disk'

/** Test of one field; `other` for fields that are not counted. */
export interface FieldTest {
  field: FacetField | 'other'
  test: Test
}

/** Key of devices without a tag, customer or group. */
export const without = ''

/** Number of matching devices for each value of each field; tests of the same field are left out. */
export interface FacetCounts {
  total: number
  /** Devices that match the text alone. */
  withText: number
  tags: Map<string, number>
  customers: Map<string, number>
  groups: Map<string, number>
  /** By number of the platform. */
  systems: Map<number, number>
  versions: Map<string, number>
  online: number
  offline: number
  starred: number
  outdated: number
  diskFull: number
}

export interface FacetOptions {
  text: string
  tests: readonly FieldTest[]
  starredIds: ReadonlySet<string>
  isOutdated: Test
}

export const fullDisk = fullDiskPercent / 100

/** Devices tested between two checks of the time slice. */
const devicesPerCheck = 128

const add = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1)

function addAll(counts: Map<string, number>, ids: readonly string[]) {
  if (ids.length === 0) {
    add(counts, without)
  }
  for (const id of ids) {
    add(counts, id)
  }
}

/** The field whose tests alone fail: null if all tests pass, undefined if tests of several fields fail. */
function failingField(entry: FleetEntry, tests: readonly FieldTest[]): FacetField | 'other' | null | undefined {
  let failing: FieldTest['field'] | null = null
  for (const { field, test } of tests) {
    if (field !== failing && !test(entry)) {
      if (failing !== null) {
        return undefined
      }
      failing = field
    }
  }
  return failing
}

/** Counts the values of all fields over devices. Yields, because thousands of devices take longer than a time slice. */
export async function countFacets(
  entries: readonly FleetEntry[],
  { text, tests, starredIds, isOutdated }: FacetOptions,
  index: DeviceIndex,
): Promise<FacetCounts> {
  const counts: FacetCounts = {
    total: 0,
    withText: 0,
    tags: new Map(),
    customers: new Map(),
    groups: new Map(),
    systems: new Map(),
    versions: new Map(),
    online: 0,
    offline: 0,
    starred: 0,
    outdated: 0,
    diskFull: 0,
  }
  const fields: Record<FacetField, (entry: FleetEntry) => void> = {
    tag: ({ device }) => addAll(counts.tags, device.tagIds),
    customer: ({ device }) => add(counts.customers, device.customerId ?? without),
    group: ({ device }) => addAll(counts.groups, device.groupIds),
    system: ({ device }) => add(counts.systems, device.platform),
    version: ({ device }) => add(counts.versions, device.agentVersion),
    presence: ({ isOnline }) => counts[isOnline ? 'online' : 'offline']++,
    starred: ({ device }) => (counts.starred += starredIds.has(device.id) ? 1 : 0),
    outdated: (entry) => (counts.outdated += isOutdated(entry) ? 1 : 0),
    disk: ({ device }) => (counts.diskFull += numberColumns['UsedStoragePercent']!(device) > fullDisk ? 1 : 0),
  }
  const all = Object.values(fields)
  const withText = index.containing(text)
  const slice = new TimeSlice()
  for (let position = 0; position < entries.length; position++) {
    if (position % devicesPerCheck === 0 && slice.isOver) {
      await slice.yield()
    }
    if (withText?.[position] === 0) {
      continue
    }
    const entry = entries[position]!
    counts.withText++
    const failing = failingField(entry, tests)
    if (failing === null) {
      counts.total++
      all.forEach((count) => count(entry))
    } else if (failing !== undefined && failing !== 'other') {
      fields[failing](entry)
    }
  }
  return counts
}
