import type { DeviceHistory } from './device-history.ts'

/**
 * Histories of all devices: 528 bytes for online time, CPU, memory and each disk, so 2 to 3 KB per device. In memory,
 * because a curve of a customer or of the fleet reads those of all devices that its reader may see.
 */
export class Histories {
  readonly #byDevice = new Map<string, DeviceHistory>()
  #opening: Promise<void> | undefined

  /** Last complete hour of all histories, in hours since 1970; undefined until they are loaded. */
  hour: number | undefined
  /** Whether work of the hours since then was dropped, because the clock was doubted. */
  hasGap = false

  /** Loads the histories at the first call; a later call waits for them. A failed load is repeated by the next call. */
  open(load: () => Promise<void>): Promise<void> {
    this.#opening ??= load().catch((error: unknown) => {
      this.#opening = undefined
      throw error
    })
    return this.#opening
  }

  get(deviceId: string): DeviceHistory | undefined {
    return this.#byDevice.get(deviceId)
  }

  set(deviceId: string, history: DeviceHistory): void {
    this.#byDevice.set(deviceId, history)
  }

  delete(deviceId: string): void {
    this.#byDevice.delete(deviceId)
  }

  ids(): string[] {
    return [...this.#byDevice.keys()]
  }
}
