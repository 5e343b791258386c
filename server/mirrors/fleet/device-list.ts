import type { DeviceSearchRequestDto } from '../../../shared/api/devices.ts'
import type { DeviceState, FleetEntry } from './device-state.ts'
import { searchDevices, type DeviceSearchResult } from './search.ts'
import { DeviceIndex } from './search-index.ts'

/** The whole fleet, as its lists see it. */
export interface FleetView {
  entries: readonly FleetEntry[]
  find(id: string): DeviceState | undefined
  /** Another number whenever the flags of an entry have changed. */
  stateVersion(): number
}

/**
 * Some of the devices, oldest first. The same object for as long as no device comes, goes, moves or is renamed: what was
 * found out about a list holds as long. Whose devices are in it is worked out when somebody asks for more than one of them.
 */
export class DeviceList implements Iterable<DeviceState> {
  readonly #fleet: FleetView
  readonly #isIn: ((device: DeviceState) => boolean) | undefined
  #entries: readonly FleetEntry[] | undefined
  #index: DeviceIndex | undefined

  /** The devices of a fleet that pass; without `isIn` all of them. */
  constructor(fleet: FleetView, isIn?: (device: DeviceState) => boolean) {
    this.#fleet = fleet
    this.#isIn = isIn
  }

  [Symbol.iterator](): Iterator<DeviceState> {
    return this.#own()
      .values()
      .map(({ device }) => device)
  }

  get(id: string): DeviceState | undefined {
    const device = this.#fleet.find(id)
    return device && (!this.#isIn || this.#isIn(device)) ? device : undefined
  }

  map<T>(make: (device: DeviceState) => T): T[] {
    return this.#own().map(({ device }) => make(device))
  }

  /** Filters, sorts and pages, as `docs/http.md` says under "Devices". */
  search(request: DeviceSearchRequestDto): Promise<DeviceSearchResult> {
    const entries = this.#own()
    this.#index ??= new DeviceIndex(entries)
    return searchDevices(entries, request, this.#index, () => this.#fleet.stateVersion())
  }

  #own(): readonly FleetEntry[] {
    const isIn = this.#isIn
    return (this.#entries ??= isIn ? this.#fleet.entries.filter(({ device }) => isIn(device)) : this.#fleet.entries)
  }
}
