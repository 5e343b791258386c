import { accountOf, type Principal } from '../ground/principal.ts'

export interface Viewer {
  connectionId: string
  principal: Principal
}

/** The customer and the groups of a device, on which rights on it depend. */
export interface Places {
  customerId: string | null
  groupIds: readonly string[]
}

/** A viewer that follows a device. */
export interface Follower extends Viewer {
  places: Places
  /** Permissions of the viewer at these places, one bit each. */
  permissions: number
}

/** Subscriptions of viewers to devices. A subscription ends with the connection. */
export class FollowedDevices {
  readonly #viewersOf = new Map<string, Map<string, Follower>>()
  readonly #devicesOf = new Map<string, Set<string>>()
  /** Number of subscriptions by account, over all connections. */
  readonly #countOf = new Map<string, number>()

  countOf(principal: Principal): number {
    return this.#countOf.get(accountOf(principal)) ?? 0
  }

  follow(viewer: Follower, deviceId: string): void {
    const viewers = getOrAdd(this.#viewersOf, deviceId, () => new Map<string, Follower>())
    if (!viewers.has(viewer.connectionId)) {
      this.#count(viewer, 1)
    }
    viewers.set(viewer.connectionId, viewer)
    getOrAdd(this.#devicesOf, viewer.connectionId, () => new Set<string>()).add(deviceId)
  }

  unfollow(connectionId: string, deviceIds: readonly string[]): void {
    for (const id of deviceIds) {
      this.#devicesOf.get(connectionId)?.delete(id)
      const viewers = this.#viewersOf.get(id)
      const viewer = viewers?.get(connectionId)
      if (viewer) {
        this.#count(viewer, -1)
      }
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

  #count({ principal }: Viewer, change: 1 | -1): void {
    const id = accountOf(principal)
    const count = (this.#countOf.get(id) ?? 0) + change
    if (count > 0) {
      this.#countOf.set(id, count)
    } else {
      this.#countOf.delete(id)
    }
  }

  /** Undefined for a device without subscribers. */
  followersOf(deviceId: string): Iterable<Follower> | undefined {
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
