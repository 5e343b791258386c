import type { Principal } from '../principal.ts'

/** A viewer connection. */
export interface Viewer {
  connectionId: string
  principal: Principal
}

/** Subscriptions of viewers to devices. A subscription ends with the connection. */
export class Heartbeats {
  readonly #viewersOf = new Map<string, Map<string, Viewer>>()
  readonly #devicesOf = new Map<string, Set<string>>()

  follow(viewer: Viewer, deviceId: string): void {
    getOrAdd(this.#viewersOf, deviceId, () => new Map<string, Viewer>()).set(viewer.connectionId, viewer)
    getOrAdd(this.#devicesOf, viewer.connectionId, () => new Set<string>()).add(deviceId)
  }

  unfollow(connectionId: string, deviceIds: readonly string[]): void {
    for (const id of deviceIds) {
      this.#devicesOf.get(connectionId)?.delete(id)
      const viewers = this.#viewersOf.get(id)
      viewers?.delete(connectionId)
      if (viewers?.size === 0) {
        this.#viewersOf.delete(id)
      }
    }
  }

  /** Removes a disconnected viewer. */
  drop(connectionId: string): void {
    this.unfollow(connectionId, [...(this.#devicesOf.get(connectionId) ?? [])])
    this.#devicesOf.delete(connectionId)
  }

  /** Undefined for a device without subscribers. */
  followersOf(deviceId: string): Iterable<Viewer> | undefined {
    return this.#viewersOf.get(deviceId)?.values()
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
