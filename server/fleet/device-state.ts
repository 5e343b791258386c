import type { DeviceRow } from './tables.ts'

/**
 * Current state of a device: the stored row, its groups and tags, and the agent's connection as it is now. An
 * immutable snapshot: every change makes a new one, so derived values may be cached with it.
 */
export interface DeviceState extends Readonly<DeviceRow> {
  readonly customerName: string | null
  readonly groupIds: readonly string[]
  readonly tagIds: readonly string[]
  /** Empty when offline. */
  readonly connectionId: string
}

/**
 * A device from its registration to its deletion; a later device with the same id gets a new entry. Holds the latest
 * snapshot.
 */
export interface FleetEntry {
  readonly device: DeviceState
  // Duplicates of the snapshot, because a search over thousands of devices is limited by memory access.
  readonly isOnline: boolean
  readonly isTagged: boolean
  /** The texts of the device, prepared for searching. */
  searchKeys?: SearchKeys | undefined
}

export interface SearchKeys {
  /** Name, alias, host and people, folded. */
  text: string
  /** Network and hardware addresses, folded. */
  addresses?: string
  /** Lower case. */
  name: string
}

/** Whether an agent reports another version than this server offers; no version offered makes no agent outdated. */
export const isOutdated = (agentVersion: string, offered: string | undefined): boolean =>
  offered !== undefined && agentVersion.trim() !== '' && agentVersion !== offered

export const entryOf = (device: DeviceState): FleetEntry => ({
  device,
  isOnline: device.connectionId !== '',
  isTagged: device.tagIds.length > 0,
})
