import type { DeviceSearchRequestDto } from '../../../shared/api/devices.ts'
import { TimeSlice } from '../../clock.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'
import { numberColumns, own, tagTest, testsOf, type Test } from './search-filters.ts'
import { onlineFlag, searchKeys, taggedFlag, type DeviceIndex } from './search-index.ts'

interface SortColumn {
  key(entry: FleetEntry): string | number
  /** Changes only together with the list of devices. */
  isSteady?: true
}

/** Pads an IPv4 address, so that its parts sort as numbers. */
const addressKey = (address: string) => address.replaceAll(/\d+/g, (part) => part.padStart(3, '0'))

const sortColumns: Record<string, SortColumn> = {
  Name: { key: (entry) => searchKeys(entry).name, isSteady: true },
  IsOnline: { key: (entry) => Number(entry.isOnline) },
  // Undocumented columns, for the page.
  LastSeen: { key: ({ device, isOnline }) => (isOnline ? Infinity : device.lastSeen) },
  OsDescription: { key: ({ device }) => device.osDescription.toLowerCase(), isSteady: true },
  CurrentUsers: { key: ({ device }) => device.currentUsers.join(', ').toLowerCase() },
  DnsHostName: { key: ({ device }) => device.dnsHostName.toLowerCase() },
  LocalIpV4: { key: ({ device }) => addressKey(device.localIpV4) },
  CustomerName: { key: ({ device }) => (device.customerName ?? '\uffff').toLowerCase() },
  AgentVersion: { key: ({ device }) => device.agentVersion, isSteady: true },
  CpuUtilization: { key: ({ device }) => numberColumns['CpuUtilization']!(device) },
  UsedMemoryPercent: { key: ({ device }) => numberColumns['UsedMemoryPercent']!(device) },
  UsedStoragePercent: { key: ({ device }) => numberColumns['UsedStoragePercent']!(device) },
}

const bySortOrder = (a: { sortOrder: number }, b: { sortOrder: number }) => a.sortOrder - b.sortOrder

interface Sort extends SortColumn {
  name: string
  direction: 1 | -1
}

/** Requested known columns, by precedence. A repeated column is ignored. */
function sortsOf({ sortDefinitions }: DeviceSearchRequestDto): Sort[] {
  const sorts = new Map<string, Sort>()
  for (const { propertyName: name, descending } of (sortDefinitions ?? []).toSorted(bySortOrder)) {
    const column = own(sortColumns, name ?? '')
    if (name && column && !sorts.has(name)) {
      sorts.set(name, { ...column, name, direction: descending ? -1 : 1 })
    }
  }
  return [...sorts.values()]
}

type Comparison = (a: number, b: number) => number

/**
 * Compares devices by their positions; equal devices keep their order. Sort keys are computed once for all comparisons.
 */
function comparison(entries: readonly FleetEntry[], sorts: readonly Sort[]): Comparison {
  const [sort, ...others] = sorts
  if (sort === undefined) {
    return (a, b) => a - b
  }
  const keys = entries.map(sort.key)
  const { direction } = sort
  const byOthers = comparison(entries, others)
  return (a, b) => {
    const left = keys[a]!
    const right = keys[b]!
    return left === right ? byOthers(a, b) : left < right ? -direction : direction
  }
}

/**
 * Cached positions of all devices in the requested order; undefined for the list's order, or an order that changes all
 * the time.
 */
function steadyOrder(entries: readonly FleetEntry[], index: DeviceIndex, sorts: readonly Sort[]) {
  if (sorts.length === 0 || !sorts.every(({ isSteady }) => isSteady)) {
    return undefined
  }
  const name = sorts.map((sort) => `${sort.direction} ${sort.name}`).join()
  return index.order(name, () => comparison(entries, sorts))
}

/** The first `wanted` of `count` indexes in order: a page is a small part, and most devices need one comparison. */
function firstInOrder(count: number, wanted: number, compare: Comparison): number[] {
  const best: number[] = []
  let last: number | undefined
  for (let index = 0; index < count; index++) {
    if (last !== undefined && compare(last, index) < 0) {
      continue
    }
    best.push(index)
    if (best.length >= 2 * wanted) {
      best.sort(compare).length = wanted
      last = best.at(-1)
    }
  }
  return best.sort(compare).slice(0, wanted)
}

/** A page of all matches, in an order that changes all the time. */
function sortedPage(matches: readonly FleetEntry[], sorts: readonly Sort[], start: number, end: number): FleetEntry[] {
  return start >= matches.length
    ? []
    : firstInOrder(matches.length, end, comparison(matches, sorts))
        .slice(start)
        .map((index) => matches[index]!)
}

export interface DeviceSearchResult {
  items: readonly DeviceState[]
  totalItems: number
  anyDevicesForUser: boolean
  filterCounts: { taggedDevices: number; untaggedDevices: number; onlineDevices: number; offlineDevices: number }
  /** Untagged devices excluded only by the wanted tags. */
  hiddenUntaggedDevices: number
}

/** A request, and tests that its schema cannot express. */
export interface Search {
  request: DeviceSearchRequestDto
  tests: readonly Test[]
}

const isMatch = 1
/** An untagged device excluded only by the wanted tags. */
const isHidden = 2

/** Devices tested between two checks of the time slice. */
const devicesPerCheck = 128

/**
 * Result of each device, by its position: `isMatch`, `isHidden` or 0. Undefined if all match. Yields, because fifty
 * filters on thousands of devices take longer than a time slice.
 */
async function matchesOf(entries: readonly FleetEntry[], { request, tests: more }: Search, index: DeviceIndex) {
  const withText = index.containing(request.searchText?.trim().toLowerCase() ?? '')
  const tests = [...testsOf(request), ...more]
  const hasWantedTags = tagTest(request)
  if (tests.length === 0 && !hasWantedTags) {
    return withText
  }
  const matches = new Uint8Array(entries.length)
  const slice = new TimeSlice()
  for (let position = 0; position < entries.length; position++) {
    if (position % devicesPerCheck === 0 && slice.isOver) {
      await slice.yield()
    }
    const entry = entries[position]!
    if (withText?.[position] !== 0 && tests.every((test) => test(entry))) {
      const isTagWanted = !hasWantedTags || hasWantedTags(entry)
      matches[position] = isTagWanted ? isMatch : entry.isTagged ? 0 : isHidden
    }
  }
  return matches
}

/**
 * Filters, sorts and pages devices, given oldest first; `index` is their index, `stateVersion` returns the fleet's
 * version.
 */
export async function searchDevices(
  entries: readonly FleetEntry[],
  search: Search,
  index: DeviceIndex,
  stateVersion: () => number,
): Promise<DeviceSearchResult> {
  const { request } = search
  const matches = await matchesOf(entries, search, index)
  const states = index.states(stateVersion())
  const sorts = sortsOf(request)
  const order = steadyOrder(entries, index, sorts)
  const isInOrder = sorts.length === 0 || order !== undefined
  const start = request.page * request.pageSize
  const end = start + request.pageSize
  /** Devices of the page, or all matches that must still be sorted. */
  const found: FleetEntry[] = []
  let [total, tagged, online, hidden] = [0, 0, 0, 0]
  // This loop dominates most searches over thousands of devices. It calls no functions, and reads each device once.
  for (let place = 0; place < states.length; place++) {
    const position = order === undefined ? place : order[place]!
    if (matches !== undefined && matches[position] !== isMatch) {
      hidden += matches[position] === isHidden ? 1 : 0
      continue
    }
    if (!isInOrder || (total >= start && total < end)) {
      found.push(entries[position]!)
    }
    const state = states[position]!
    total++
    tagged += state & taggedFlag ? 1 : 0
    online += state & onlineFlag
  }
  const page = isInOrder ? found : sortedPage(found, sorts, start, end)
  return {
    items: page.map(({ device }) => device),
    totalItems: total,
    anyDevicesForUser: entries.length > 0,
    filterCounts: {
      taggedDevices: tagged,
      untaggedDevices: total - tagged,
      onlineDevices: online,
      offlineDevices: total - online,
    },
    hiddenUntaggedDevices: hidden,
  }
}
