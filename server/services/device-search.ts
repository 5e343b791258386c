import type { DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import type { DeviceState } from '../models/device.ts'

type Filter = NonNullable<DeviceSearchRequestDto['filterDefinitions']>[number]
type Sort = NonNullable<DeviceSearchRequestDto['sortDefinitions']>[number]
type Test = (device: DeviceState) => boolean

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

const isOnline = (device: DeviceState) => device.connectionId !== ''

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
    return (device) => textOperator(text(device).toLowerCase(), wanted)
  }
  const number = own(numberColumns, propertyName)
  const numberOperator = own(numberOperators, operator)
  const needsValue = !operator.startsWith('is ')
  const wanted = Number(value)
  if (number && numberOperator && (!needsValue || (value != null && value.trim() !== '' && Number.isFinite(wanted)))) {
    return (device) => numberOperator(number(device), wanted)
  }
  if (propertyName === 'IsOnline' && operator === 'is' && /^(true|false)$/i.test(value ?? '')) {
    const isWanted = value!.toLowerCase() === 'true'
    return (device) => isOnline(device) === isWanted
  }
  return undefined
}

/** Devices carry no tags yet, so `tagIds` matches none and "untagged" matches all. */
const matchesTags = ({ tagIds, includeUntaggedDevices }: DeviceSearchRequestDto) =>
  tagIds == null || tagIds.length === 0 || includeUntaggedDevices

function matchesText(searchText: string | null | undefined): Test {
  const wanted = searchText?.trim().toLowerCase() ?? ''
  if (wanted === '') {
    return () => true
  }
  return (device) =>
    [device.name, device.alias ?? '', device.dnsHostName, device.currentUsers.join(', ')].some((text) =>
      text.toLowerCase().includes(wanted),
    )
}

const sortColumns: Record<string, (device: DeviceState) => string | number> = {
  Name: (device) => device.name.toLowerCase(),
  IsOnline: (device) => Number(isOnline(device)),
  // Beyond the contract's five, for the columns that the window shows.
  LastSeen: (device) => (isOnline(device) ? Infinity : device.lastSeen),
  OsDescription: (device) => device.osDescription.toLowerCase(),
  AgentVersion: (device) => device.agentVersion,
  ...numberColumns,
}

/** Compares by each known sort column in turn; equal devices keep their order. */
function comparer(sorts: readonly Sort[]) {
  const keys = sorts
    .toSorted((a, b) => a.sortOrder - b.sortOrder)
    .flatMap(({ propertyName, descending }) => {
      const key = own(sortColumns, propertyName)
      return key ? [{ key, direction: descending ? -1 : 1 }] : []
    })
  return (a: DeviceState, b: DeviceState) => {
    for (const { key, direction } of keys) {
      const [left, right] = [key(a), key(b)]
      if (left !== right) {
        return left < right ? -direction : direction
      }
    }
    return 0
  }
}

export interface DeviceSearchResult {
  items: DeviceState[]
  totalItems: number
  anyDevicesForUser: boolean
  filterCounts: { taggedDevices: number; untaggedDevices: number; onlineDevices: number; offlineDevices: number }
}

/** Filters, sorts and pages devices, which come oldest first. Rules: the contract's `rest.md` section 4.2. */
export function searchDevices(devices: readonly DeviceState[], request: DeviceSearchRequestDto): DeviceSearchResult {
  const tests = [
    matchesText(request.searchText),
    ...(request.filterDefinitions ?? []).flatMap((filter) => compile(filter) ?? []),
    ...(request.hideOfflineDevices ? [isOnline] : []),
  ]
  const matches = matchesTags(request) ? devices.filter((device) => tests.every((test) => test(device))) : []
  const sorted = request.sortDefinitions?.length ? matches.toSorted(comparer(request.sortDefinitions)) : matches
  const start = request.page * request.pageSize
  const onlineDevices = matches.filter(isOnline).length
  return {
    items: sorted.slice(start, start + request.pageSize),
    totalItems: matches.length,
    anyDevicesForUser: devices.length > 0,
    filterCounts: {
      taggedDevices: 0,
      untaggedDevices: matches.length,
      onlineDevices,
      offlineDevices: matches.length - onlineDevices,
    },
  }
}
