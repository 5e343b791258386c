import { fold } from '../../shared/fold.ts'
import type { FleetEntry, SearchKeys } from './device-state.ts'

const separators = [':', '-', '']

/** A hardware address as people write it: in pairs with colons or hyphens, and without separators. */
const macForms = (address: string) =>
  separators.map((separator) => (address.match(/[\da-f]{2}/gi) ?? [address]).join(separator))

/** The texts of a device, folded, one per line; cached until they change. */
export function searchKeys(entry: FleetEntry): SearchKeys {
  if (!entry.searchKeys) {
    const { name, alias, dnsHostName, currentUsers } = entry.device
    const text = fold([name, alias ?? '', dnsHostName, currentUsers.join(', ')].join('\n'))
    entry.searchKeys = { text, name: name.toLowerCase() }
  }
  return entry.searchKeys
}

/** The network and hardware addresses of a device, folded, one per line. Few searches read them. */
export function searchedAddresses(entry: FleetEntry): string {
  const { localIpV4, localIpV6, publicIpV4, publicIpV6, macAddresses } = entry.device
  return (searchKeys(entry).addresses ??= fold(
    [localIpV4, localIpV6, publicIpV4, publicIpV6, ...macAddresses.flatMap(macForms)].join('\n'),
  ))
}

/** Beginnings of IPv4 addresses, pieces of IPv6 and hardware addresses: other texts are not searched in addresses. */
const addressLike = /^(?:\d{1,3}(?:\.\d{0,3}){1,3}|[\dA-F]*:[\dA-F:.]*|(?:[\dA-F]{2}-)+[\dA-F]{0,2}|[\dA-F]{6,12})$/

/** Whether a folded text may be a part of an address. */
export const isAddressLike = (text: string): boolean => addressLike.test(text)
