import type { DeviceRow } from '../../models/device.ts'

/**
 * A device as the server knows it now: the stored row, what it belongs to and, in memory only, the agent's connection.
 * A snapshot: every change makes a new one, so what was made from one may be cached with it.
 */
export interface DeviceState extends Readonly<DeviceRow> {
  readonly customerName: string | null
  readonly groupIds: readonly string[]
  readonly tagIds: readonly string[]
  /** Empty when offline. */
  readonly connectionId: string
}

/**
 * A device from its registration to its deletion; a later one with the same id is another. Holds the latest snapshot.
 */
export interface FleetEntry {
  readonly device: DeviceState
  // Beside the snapshot, because a search over thousands of devices costs what it has to fetch from memory.
  readonly isOnline: boolean
  readonly isTagged: boolean
  /** The texts of the device, prepared for searching. */
  searchKeys?: SearchKeys | undefined
}

export interface SearchKeys {
  /** All that text is looked for in, in lower case. */
  text: string
  name: string
}

export const entryOf = (device: DeviceState): FleetEntry => ({
  device,
  isOnline: device.connectionId !== '',
  isTagged: device.tagIds.length > 0,
})
