import type { FleetEntry, SearchKeys } from './device-state.ts'

/** The texts of a device in lower case, one per line; cached until they change. */
export function searchKeys(entry: FleetEntry): SearchKeys {
  if (!entry.searchKeys) {
    const { name, alias, dnsHostName, currentUsers } = entry.device
    const text = [name, alias ?? '', dnsHostName, currentUsers.join(', ')].join('\n').toLowerCase()
    entry.searchKeys = { text, name: name.toLowerCase() }
  }
  return entry.searchKeys
}
