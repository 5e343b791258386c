import type { App, Principal } from '../context.ts'
import { deviceScope } from '../policies/device.ts'
import type { DeviceState } from '../models/device.ts'

/** Largest number of devices in one subscription call. */
const maxIdsPerCall = 100

/** Which viewer connections follow which devices. A subscription lives as long as its connection. */
export class HeartbeatSubscriptions {
  readonly #app: App
  readonly #viewersOf = new Map<string, Map<string, Principal>>()
  readonly #devicesOf = new Map<string, Set<string>>()

  constructor(app: App) {
    this.#app = app
  }

  /** Adds devices; unknown and unreadable ones are skipped. The reason when there are too many. */
  subscribe(viewer: { connectionId: string; principal: Principal }, deviceIds: readonly string[]): string | undefined {
    if (deviceIds.length > maxIdsPerCall) {
      return `Too many device IDs (${deviceIds.length}). Subscribe at most ${maxIdsPerCall} devices per call.`
    }
    const mayRead = deviceScope(this.#app, viewer.principal, 'device.read')
    for (const id of deviceIds) {
      const device = this.#app.fleet.get(id)
      if (device && mayRead(device)) {
        getOrAdd(this.#viewersOf, id, () => new Map<string, Principal>()).set(viewer.connectionId, viewer.principal)
        getOrAdd(this.#devicesOf, viewer.connectionId, () => new Set<string>()).add(id)
      }
    }
    return undefined
  }

  unsubscribe(connectionId: string, deviceIds: readonly string[]): void {
    for (const id of deviceIds) {
      this.#devicesOf.get(connectionId)?.delete(id)
      const viewers = this.#viewersOf.get(id)
      viewers?.delete(connectionId)
      if (viewers?.size === 0) {
        this.#viewersOf.delete(id)
      }
    }
  }

  /** Forgets a viewer that has left. */
  drop(connectionId: string): void {
    this.unsubscribe(connectionId, [...(this.#devicesOf.get(connectionId) ?? [])])
    this.#devicesOf.delete(connectionId)
  }

  /** Sends a device to everyone who follows it and may still read it. */
  push(device: DeviceState): void {
    const viewers = this.#viewersOf.get(device.id)
    if (!viewers) {
      return
    }
    const { hubs, presentDevice } = this.#app
    const mayRead = (principal: Principal) =>
      principal.isLive() && deviceScope(this.#app, principal, 'device.read')(device)
    const readers = [...viewers].flatMap(([connectionId, principal]) => (mayRead(principal) ? connectionId : []))
    if (readers.length > 0) {
      void hubs.viewer.send(...readers).ReceiveDeviceUpdate(presentDevice(device))
    }
  }
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) {
    return known
  }
  const made = make()
  map.set(key, made)
  return made
}
