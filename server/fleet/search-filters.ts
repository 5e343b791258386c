import { fold } from '../../shared/fold.ts'
import type { DeviceSearchRequestDto, FilterMatchMode } from '../../shared/api/devices.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'

type Filter = NonNullable<DeviceSearchRequestDto['filterDefinitions']>[number]

export type Test = (entry: FleetEntry) => boolean

/** Used part of a total, 0 to 1. */
export const share = (used: number, total: number): number => (total > 0 ? used / total : 0)

const textColumns: Record<string, (device: DeviceState) => string> = {
  Name: (device) => device.name,
  Alias: (device) => device.alias ?? '',
  OsDescription: (device) => device.osDescription,
  ConnectionId: (device) => device.connectionId,
}

export const numberColumns: Record<string, (device: DeviceState) => number> = {
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

export const own = <T>(table: Record<string, T>, key: string): T | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined

/** Compiles a column filter to a test; undefined for an unknown or invalid filter, which is ignored. */
function compile({ propertyName, operator, value }: Filter): Test | undefined {
  if (!propertyName || !operator) {
    return undefined
  }
  const text = own(textColumns, propertyName)
  const textOperator = own(textOperators, operator)
  if (text && textOperator) {
    const wanted = fold(value ?? '')
    return ({ device }) => textOperator(fold(text(device)), wanted)
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

/** A name from a request, as a part of a header. */
export const nameIn = (name: string | null | undefined) =>
  encodeURIComponent((name || 'null').slice(0, 50).toWellFormed())

const isUntagged = (entry: FleetEntry) => !entry.isTagged
const isUngrouped: Test = ({ device }) => device.groupIds.length === 0

/** Tests whether ids contain any, or all, of the wanted ids. */
function holder(wanted: readonly string[], mode: FilterMatchMode): (ids: readonly string[]) => boolean {
  const set = new Set(wanted)
  return mode === 'All'
    ? (ids) => ids.length >= set.size && ids.filter((id) => set.has(id)).length === set.size
    : (ids) => ids.some((id) => set.has(id))
}

/**
 * Test of the wanted tags. Untagged devices may be included; with `includeUntaggedDevices` and no tags, only untagged
 * devices match.
 */
export function tagTest(request: DeviceSearchRequestDto): Test | undefined {
  const { tagIds, tagFilterMatchMode, includeUntaggedDevices, showOnlyUntaggedDevices } = request
  if (showOnlyUntaggedDevices || (!tagIds?.length && includeUntaggedDevices)) {
    return isUntagged
  }
  if (!tagIds?.length) {
    return undefined
  }
  const hasTags = holder(tagIds, tagFilterMatchMode)
  return includeUntaggedDevices
    ? (entry) => isUntagged(entry) || hasTags(entry.device.tagIds)
    : ({ device }) => hasTags(device.tagIds)
}

function groupTest(request: DeviceSearchRequestDto): Test | undefined {
  const { deviceGroupIds, deviceGroupFilterMatchMode, showOnlyUngroupedDevices } = request
  if (showOnlyUngroupedDevices) {
    return isUngrouped
  }
  if (!deviceGroupIds?.length) {
    return undefined
  }
  const isInGroups = holder(deviceGroupIds, deviceGroupFilterMatchMode)
  return ({ device }) => isInGroups(device.groupIds)
}

function customerTest({ customerIds }: DeviceSearchRequestDto): Test | undefined {
  const wanted = new Set(customerIds)
  return wanted.size === 0 ? undefined : ({ device }) => device.customerId !== null && wanted.has(device.customerId)
}

/** Filters of a search that filter nothing: their property or operator is unknown, or their value unreadable. */
export const ignoredFilters = ({ filterDefinitions }: DeviceSearchRequestDto): string[] =>
  (filterDefinitions ?? [])
    .filter((filter) => !compile(filter))
    .map(({ propertyName }) => `filter ${nameIn(propertyName)}`)

/** Tests of a search besides text and tags. */
export function testsOf(request: DeviceSearchRequestDto): Test[] {
  const filters = new Map((request.filterDefinitions ?? []).map((filter) => [JSON.stringify(filter), filter]))
  const columns = [...filters.values()].flatMap((filter) => compile(filter) ?? [])
  const presence = request.hideOfflineDevices ? isOnline : undefined
  return [presence, customerTest(request), groupTest(request), ...columns].filter((test) => test !== undefined)
}
