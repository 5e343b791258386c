import type { DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import type { FleetEntry } from './device-state.ts'
import { nameIn, numberColumns, own } from './search-filters.ts'
import { searchKeys } from './search-keys.ts'

export type SortKey = string | number

type KeyOf = (entry: FleetEntry) => SortKey

/** Pads an IPv4 address, so that its parts sort as numbers. */
const addressKey = (address: string) => address.replaceAll(/\d+/g, (part) => part.padStart(3, '0'))

export const sortColumns: Record<string, KeyOf> = {
  Name: (entry) => searchKeys(entry).name,
  IsOnline: (entry) => Number(entry.isOnline),
  // Undocumented columns, for the page.
  LastSeen: ({ device, isOnline }) => (isOnline ? Infinity : device.lastSeen),
  OsDescription: ({ device }) => device.osDescription.toLowerCase(),
  CurrentUsers: ({ device }) => device.currentUsers.join(', ').toLowerCase(),
  DnsHostName: ({ device }) => device.dnsHostName.toLowerCase(),
  LocalIpV4: ({ device }) => addressKey(device.localIpV4),
  CustomerName: ({ device }) => (device.customerName ?? '\uffff').toLowerCase(),
  AgentVersion: ({ device }) => device.agentVersion,
  CpuUtilization: ({ device }) => numberColumns['CpuUtilization']!(device),
  UsedMemoryPercent: ({ device }) => numberColumns['UsedMemoryPercent']!(device),
  UsedStoragePercent: ({ device }) => numberColumns['UsedStoragePercent']!(device),
}

export interface Sort {
  column: string
  direction: 1 | -1
}

const bySortOrder = (a: { sortOrder: number }, b: { sortOrder: number }) => a.sortOrder - b.sortOrder

/** Sorts of a search that sort nothing: their property is unknown. */
export const ignoredSorts = ({ sortDefinitions }: DeviceSearchRequestDto): string[] =>
  (sortDefinitions ?? [])
    .filter(({ propertyName }) => !propertyName || !own(sortColumns, propertyName))
    .map(({ propertyName }) => `sort ${nameIn(propertyName)}`)

/** Requested known columns, by precedence. A repeated column is ignored. */
export function sortsOf({ sortDefinitions }: DeviceSearchRequestDto): Sort[] {
  const sorts = new Map<string, Sort>()
  for (const { propertyName: column, descending } of (sortDefinitions ?? []).toSorted(bySortOrder)) {
    if (column && own(sortColumns, column) && !sorts.has(column)) {
      sorts.set(column, { column, direction: descending ? -1 : 1 })
    }
  }
  return [...sorts.values()]
}
