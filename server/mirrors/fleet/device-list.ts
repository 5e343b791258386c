import type { DeviceSearchRequestDto } from '../../../shared/api/devices.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'
import { searchDevices, type DeviceSearchResult } from './search.ts'
import { countFacets, type FacetCounts, type FacetOptions } from './search-facets.ts'
import type { Test } from './search-filters.ts'
import { DeviceIndex } from './search-index.ts'

/** The whole fleet, as its lists see it. */
export interface FleetView {
  entries: readonly FleetEntry[]
  find(id: string): DeviceState | undefined
  /** Changes whenever the flags of an entry have changed. */
  stateVersion(): number
}

/**
 * A subset of the devices, oldest first. The object stays the same until a device is added, removed, moved or renamed,
 * so results can be cached by list. Its members are computed on first use of more than one device.
 */
export class DeviceList implements Iterable<DeviceState> {
  readonly #fleet: FleetView
  readonly #isIn: ((device: DeviceState) => boolean) | undefined
  #entries: readonly FleetEntry[] | undefined
  #index: DeviceIndex | undefined

  /** List of the fleet's devices that pass `isIn`, by default all. */
  constructor(fleet: FleetView, isIn?: (device: DeviceState) => boolean) {
    this.#fleet = fleet
    this.#isIn = isIn
  }

  [Symbol.iterator](): Iterator<DeviceState> {
    return this.#members()
      .values()
      .map(({ device }) => device)
  }

  get(id: string): DeviceState | undefined {
    const device = this.#fleet.find(id)
    return device && (!this.#isIn || this.#isIn(device)) ? device : undefined
  }

  map<T>(make: (device: DeviceState) => T): T[] {
    return this.#members().map(({ device }) => make(device))
  }

  /** Filters, sorts and pages, as documented in `docs/http.md` under "Devices"; devices must pass `tests`, too. */
  search(request: DeviceSearchRequestDto, tests: readonly Test[] = []): Promise<DeviceSearchResult> {
    const entries = this.#members()
    this.#index ??= new DeviceIndex(entries)
    return searchDevices(entries, { request, tests }, this.#index, () => this.#fleet.stateVersion())
  }

  /** Counts of the values of each field of a typed search. */
  facets(options: FacetOptions): Promise<FacetCounts> {
    const entries = this.#members()
    this.#index ??= new DeviceIndex(entries)
    return countFacets(entries, options, this.#index)
  }

  #members(): readonly FleetEntry[] {
    const isIn = this.#isIn
    return (this.#entries ??= isIn ? this.#fleet.entries.filter(({ device }) => isIn(device)) : this.#fleet.entries)
  }
}
