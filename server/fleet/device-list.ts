import type { DeviceSearchRequestDto } from '../../shared/api/devices.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'
import { EncodedDevices, type EncodedLists } from './encoded-devices.ts'
import { ListedEntries, type EntryChanges } from './entry-changes.ts'
import type { EncodedItems } from '../ground/json.ts'
import { searchDevices, type DeviceSearchResult } from './search.ts'
import { countFacets, type FacetCounts, type FacetOptions } from './facet-counts.ts'
import type { Test } from './search-filters.ts'
import { DeviceIndex } from './search-index.ts'

/** Encodings kept for a list: in full and in short, for the version of agents offered now. */
const maxEncodings = 2

export interface FleetView {
  entries: readonly FleetEntry[]
  find(id: string): DeviceState | undefined
  changes: EntryChanges
  encoded: EncodedLists
}

/**
 * A subset of the devices, oldest first. The object stays the same until a device is added, removed or moved, so results
 * can be cached by list. Its members are computed on first use of more than one device.
 */
export class DeviceList implements Iterable<DeviceState> {
  readonly #fleet: FleetView
  readonly #isIn: ((device: DeviceState) => boolean) | undefined
  #entries: ListedEntries | undefined
  readonly #encoded = new Map<object, EncodedDevices<object>>()
  #index: DeviceIndex | undefined

  /** List of the fleet's devices that pass `isIn`, by default all. */
  constructor(fleet: FleetView, isIn?: (device: DeviceState) => boolean) {
    this.#fleet = fleet
    this.#isIn = isIn
  }

  [Symbol.iterator](): Iterator<DeviceState> {
    return this.#members()
      .all.values()
      .map(({ device }) => device)
  }

  get(id: string): DeviceState | undefined {
    const device = this.#fleet.find(id)
    return device && (!this.#isIn || this.#isIn(device)) ? device : undefined
  }

  map<T>(make: (device: DeviceState) => T): T[] {
    return this.#members().all.map(({ device }) => make(device))
  }

  /** The presented devices, with their JSON. `present` returns the same value until the device changes. */
  encoded<T extends object>(present: (device: DeviceState) => T): EncodedItems<T> {
    const known = this.#encoded.get(present)
    if (known) {
      return known as EncodedDevices<T>
    }
    if (this.#encoded.size >= maxEncodings) {
      this.#encoded.clear()
    }
    const encoded = new EncodedDevices(this.#members(), present, this.#fleet.encoded)
    this.#encoded.set(present, encoded)
    return encoded
  }

  /** Filters, sorts and pages, as documented in `docs/http.md` under "Devices"; devices must pass `tests`, too. */
  search(request: DeviceSearchRequestDto, tests: readonly Test[] = []): Promise<DeviceSearchResult> {
    return searchDevices(this.#members().all, { request, tests }, this.#searchIndex())
  }

  /** Counts of the values of each field of a typed search. */
  facets(options: FacetOptions): Promise<FacetCounts> {
    return countFacets(this.#members().all, options, this.#searchIndex())
  }

  #searchIndex(): DeviceIndex {
    return (this.#index ??= new DeviceIndex(this.#members()))
  }

  #members(): ListedEntries {
    const isIn = this.#isIn
    const { entries, changes } = this.#fleet
    return (this.#entries ??= new ListedEntries(isIn ? entries.filter(({ device }) => isIn(device)) : entries, changes))
  }
}
