import type { DeviceSearchRequestDto, FilterMatchMode } from '../../shared/api/devices.ts'
import type { DeviceState, FleetEntry, SearchKeys } from '../models/device.ts'

type Filter = NonNullable<DeviceSearchRequestDto['filterDefinitions']>[number]
type Sort = NonNullable<DeviceSearchRequestDto['sortDefinitions']>[number]
type Test = (entry: FleetEntry) => boolean

const share = (used: number, total: number) => (total > 0 ? used / total : 0)

const textColumns: Record<string, (device: DeviceState) => string> = {
  Name: (device) => device.name,
  Alias: (device) => device.alias ?? '',
  OsDescription: (device) => device.osDescription,
  ConnectionId: (device) => device.connectionId,
}

const numberColumns: Record<string, (device: DeviceState) => number> = {
  CpuUtilization: (device) => device.cpuUtilization,
  UsedMemoryPercent: (device) => share(device.usedMemory, device.totalMemory),
  UsedStoragePercent: (device) => share(device.usedStorage, device.totalStorage),
}

const isOnline: Test = (entry) => entry.isOnline

const textOperators: Record<string, (text: string, value: string) => boolean> = {
  contains: (text, value) => text.includes(value),
  'not contains': (text, value) => !text.includes(value),
  equals: (text, value) => text === value,
  'not equals': (text, value) => text !== value,
  'starts with': (text, value) => text.startsWith(value),
  'ends with': (text, value) => text.endsWith(value),
  'is empty': (text) => text === '',
  'is not empty': (text) => text !== '',
}

const numberOperators: Record<string, (number: number, value: number) => boolean> = {
  '=': (number, value) => number === value,
  '!=': (number, value) => number !== value,
  '>': (number, value) => number > value,
  '>=': (number, value) => number >= value,
  '<': (number, value) => number < value,
  '<=': (number, value) => number <= value,
  'is empty': (number) => number === 0,
  'is not empty': (number) => number !== 0,
}

const own = <T>(table: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** One column filter as a test; undefined for what is unknown or unreadable, which filters nothing. */
function compile({ propertyName, operator, value }: Filter): Test | undefined {
  const text = own(textColumns, propertyName)
  const textOperator = own(textOperators, operator)
  if (text && textOperator) {
    const wanted = (value ?? '').toLowerCase()
    return ({ device }) => textOperator(text(device).toLowerCase(), wanted)
  }
  const number = own(numberColumns, propertyName)
  const numberOperator = own(numberOperators, operator)
  const needsValue = !operator.startsWith('is ')
  const wanted = Number(value)
  if (number && numberOperator && (!needsValue || (value != null && value.trim() !== '' && Number.isFinite(wanted)))) {
    return ({ device }) => numberOperator(number(device), wanted)
  }
  if (propertyName === 'IsOnline' && operator === 'is' && /^(true|false)$/i.test(value ?? '')) {
    const isWanted = value!.toLowerCase() === 'true'
    return (entry) => entry.isOnline === isWanted
  }
  return undefined
}

const everything: Test = () => true
const isUntagged: Test = (entry) => !entry.isTagged
const isUngrouped: Test = ({ device }) => device.groupIds.length === 0

/** Whether some ids hold any, or all, of those that are looked for. */
function holder(wanted: readonly string[], mode: FilterMatchMode): (ids: readonly string[]) => boolean {
  if (mode === 'All') {
    return (ids) => wanted.every((id) => ids.includes(id))
  }
  const set = new Set(wanted)
  return (ids) => ids.some((id) => set.has(id))
}

/** Untagged devices come on top of those with the tags; without any tag they are all that is asked for. */
function tagTest(request: DeviceSearchRequestDto): Test {
  const { tagIds, tagFilterMatchMode, includeUntaggedDevices, showOnlyUntaggedDevices } = request
  if (showOnlyUntaggedDevices || (!tagIds?.length && includeUntaggedDevices)) {
    return isUntagged
  }
  if (!tagIds?.length) {
    return everything
  }
  const hasTags = holder(tagIds, tagFilterMatchMode)
  return includeUntaggedDevices
    ? (entry) => isUntagged(entry) || hasTags(entry.device.tagIds)
    : ({ device }) => hasTags(device.tagIds)
}

function groupTest(request: DeviceSearchRequestDto): Test {
  const { deviceGroupIds, deviceGroupFilterMatchMode, showOnlyUngroupedDevices } = request
  if (showOnlyUngroupedDevices) {
    return isUngrouped
  }
  if (!deviceGroupIds?.length) {
    return everything
  }
  const isInGroups = holder(deviceGroupIds, deviceGroupFilterMatchMode)
  return ({ device }) => isInGroups(device.groupIds)
}

function customerTest({ customerIds }: DeviceSearchRequestDto): Test {
  const wanted = new Set(customerIds)
  return wanted.size === 0 ? everything : ({ device }) => device.customerId !== null && wanted.has(device.customerId)
}

/** The texts of a device in lower case, one line each; made once for each snapshot. */
function searchKeys(entry: FleetEntry): SearchKeys {
  const { device, searchKeys: known } = entry
  if (known?.of === device) {
    return known
  }
  const { alias, dnsHostName, currentUsers } = device
  const name = device.name.toLowerCase()
  const others = [alias ?? '', dnsHostName, currentUsers.join(', ')].join('\n').toLowerCase()
  return (entry.searchKeys = { of: device, text: `${name}\n${others}`, name })
}

function textTest({ searchText }: DeviceSearchRequestDto): Test {
  const wanted = searchText?.trim().toLowerCase() ?? ''
  return wanted === '' ? everything : (entry) => searchKeys(entry).text.includes(wanted)
}

/** All that a device has to pass but the tags. */
function testsOf(request: DeviceSearchRequestDto): Test[] {
  const columns = (request.filterDefinitions ?? []).flatMap((filter) => compile(filter) ?? [])
  const presence = request.hideOfflineDevices ? isOnline : everything
  const tests = [presence, customerTest(request), groupTest(request), ...columns, textTest(request)]
  return tests.filter((test) => test !== everything)
}

const sortColumns: Record<string, (entry: FleetEntry) => string | number> = {
  Name: (entry) => searchKeys(entry).name,
  IsOnline: (entry) => Number(entry.isOnline),
  // Beyond the contract's five, for the columns that the window shows.
  LastSeen: ({ device, isOnline }) => (isOnline ? Infinity : device.lastSeen),
  OsDescription: ({ device }) => device.osDescription.toLowerCase(),
  AgentVersion: ({ device }) => device.agentVersion,
  CpuUtilization: ({ device }) => numberColumns['CpuUtilization']!(device),
  UsedMemoryPercent: ({ device }) => numberColumns['UsedMemoryPercent']!(device),
  UsedStoragePercent: ({ device }) => numberColumns['UsedStoragePercent']!(device),
}

type Comparison = (a: number, b: number) => number

/** The first of `count` indexes in order: a page is a small part, and most devices are compared once to be passed over. */
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

/** Compares devices by each known column in turn; equal ones keep their order. Keys are made once for all comparisons. */
function comparison(entries: readonly FleetEntry[], sorts: readonly Sort[]): Comparison | undefined {
  const columns = sorts
    .toSorted((a, b) => a.sortOrder - b.sortOrder)
    .flatMap(({ propertyName, descending }) => {
      const key = own(sortColumns, propertyName)
      return key ? [{ keys: entries.map(key), direction: descending ? -1 : 1 }] : []
    })
  if (columns.length === 0) {
    return undefined
  }
  return (a, b) => {
    for (const { keys, direction } of columns) {
      const left = keys[a]!
      const right = keys[b]!
      if (left !== right) {
        return left < right ? -direction : direction
      }
    }
    return a - b
  }
}

/** One page of the devices that match. */
function pageOf(matches: readonly FleetEntry[], { sortDefinitions, page, pageSize }: DeviceSearchRequestDto) {
  const start = page * pageSize
  const compare = comparison(matches, sortDefinitions ?? [])
  const entries =
    compare && start < matches.length
      ? firstInOrder(matches.length, start + pageSize, compare)
          .slice(start)
          .map((index) => matches[index]!)
      : matches.slice(start, start + pageSize)
  return entries.map(({ device }) => device)
}

export interface DeviceSearchResult {
  items: readonly DeviceState[]
  totalItems: number
  anyDevicesForUser: boolean
  filterCounts: { taggedDevices: number; untaggedDevices: number; onlineDevices: number; offlineDevices: number }
  /** Untagged devices that only the wanted tags keep out. */
  hiddenUntaggedDevices: number
}

/** Filters, sorts and pages devices, which come oldest first. Rules: the contract's `rest.md` section 4.2. */
export function searchDevices(entries: Iterable<FleetEntry>, request: DeviceSearchRequestDto): DeviceSearchResult {
  const tests = testsOf(request)
  const hasWantedTags = tagTest(request)
  const matches: FleetEntry[] = []
  const counts = { all: 0, tagged: 0, online: 0, hidden: 0 }
  for (const entry of entries) {
    counts.all++
    if (!tests.every((test) => test(entry))) {
      continue
    }
    if (hasWantedTags(entry)) {
      matches.push(entry)
      counts.tagged += Number(entry.isTagged)
      counts.online += Number(entry.isOnline)
    } else {
      counts.hidden += Number(!entry.isTagged)
    }
  }
  return {
    items: pageOf(matches, request),
    totalItems: matches.length,
    anyDevicesForUser: counts.all > 0,
    filterCounts: {
      taggedDevices: counts.tagged,
      untaggedDevices: matches.length - counts.tagged,
      onlineDevices: counts.online,
      offlineDevices: matches.length - counts.online,
    },
    hiddenUntaggedDevices: counts.hidden,
  }
}
