import type { DeviceSearchRequestDto } from '../../../shared/api/devices.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'
import { searchDevices, type DeviceSearchResult } from './search.ts'
import { DeviceIndex } from './search-index.ts'

/**
 * Some of the devices, oldest first. The same object until a device of the fleet is added, deleted, moved or renamed,
 * so that results cached for a list stay valid as long.
 */
export class DeviceList implements Iterable<DeviceState> {
  readonly entries: readonly FleetEntry[]
  readonly #stateVersion: () => number
  #index: DeviceIndex | undefined
  #byId: ReadonlyMap<string, FleetEntry> | undefined

  /** `stateVersion` gives another number whenever the flags of an entry have changed. */
  constructor(entries: readonly FleetEntry[], stateVersion: () => number) {
    this.entries = entries
    this.#stateVersion = stateVersion
  }

  [Symbol.iterator](): Iterator<DeviceState> {
    return this.entries.values().map(({ device }) => device)
  }

  get(id: string): DeviceState | undefined {
    this.#byId ??= new Map(this.entries.map((entry) => [entry.device.id, entry]))
    return this.#byId.get(id)?.device
  }

  map<T>(make: (device: DeviceState) => T): T[] {
    return this.entries.map(({ device }) => make(device))
  }

  /** Those of a list that pass; this list where all do. */
  filter(isIn: (device: DeviceState) => boolean): DeviceList {
    const entries = this.entries.filter(({ device }) => isIn(device))
    return entries.length === this.entries.length ? this : new DeviceList(entries, this.#stateVersion)
  }

  /** Filters, sorts and pages. Rules: docs/http.md, "Devices". */
  search(request: DeviceSearchRequestDto): DeviceSearchResult {
    this.#index ??= new DeviceIndex(this.entries)
    return searchDevices(this.entries, request, this.#index, this.#stateVersion())
  }
}
