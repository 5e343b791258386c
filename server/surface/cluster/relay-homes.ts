import type { Relay } from '../../call/clients.ts'
import type { Cluster } from '../../engines/cluster/cluster.ts'
import { Counts } from '../../engines/relay/counts.ts'
import type { Clock } from '../../ground/clock.ts'

const channel = 'relay'
/** Longest time from an announcement until both sides have connected. */
const announcedMs = 5 * 60_000
/** Wait of a viewer whose session is not announced yet, as long as the relay itself waits for one. */
const earlyMs = 20_000
/** Viewers that wait, in total and of an address; more are left to the relay of this server. */
const maxWaiting = 1_000
const maxWaitingOfAddress = 200

const keyOf = (sessionId: string) => `relay:${sessionId}`

/** Servers that the sessions of the relays are on: a session is where its device's agent is. */
export class RelayHomes {
  readonly #cluster: Cluster
  readonly #clock: Clock
  readonly #own = new Set<string>()
  readonly #waiting = new Map<string, Set<(server: string) => void>>()
  readonly #ofAddress = new Counts()

  constructor(cluster: Cluster, clock: Clock) {
    this.#cluster = cluster
    this.#clock = clock
    cluster.subscribe(channel, (sessionId, from) => this.#announced(sessionId, from))
    cluster.onMissed(() => this.#waiting.keys().forEach((sessionId) => void this.#read(sessionId)))
  }

  /** A relay whose announcements the other servers know. */
  announcing(relay: Relay): Relay {
    return {
      announce: ({ sessionId, onEnd, ...session }) => {
        const announced = relay.announce({
          sessionId,
          ...session,
          onEnd: (end) => {
            this.#own.delete(sessionId)
            onEnd(end)
          },
        })
        this.#own.add(sessionId)
        this.#announced(sessionId, this.#cluster.id)
        this.#cluster.publish(channel, sessionId)
        // Without Redis, only sockets that come to this server join the session.
        this.#cluster.set(keyOf(sessionId), this.#cluster.id, announcedMs).catch(() => {})
        return announced
      },
    }
  }

  /**
   * Server of a session. A viewer, with its counted address, waits for the announcement: a page may open its socket before it
   * requests the session. Undefined for a session that no server has announced.
   */
  async serverOf(sessionId: string, viewerAddress: string | undefined): Promise<string | undefined> {
    if (this.#own.has(sessionId)) {
      return this.#cluster.id
    }
    const announced = viewerAddress === undefined ? undefined : this.#announcement(sessionId, viewerAddress)
    return (await this.#read(sessionId)) ?? (await announced)
  }

  /** Reads the server of an announced session from Redis. */
  async #read(sessionId: string): Promise<string | undefined> {
    const server = await this.#cluster.get(keyOf(sessionId)).catch(() => undefined)
    if (server !== undefined) {
      this.#announced(sessionId, server)
    }
    return server
  }

  #announcement(sessionId: string, address: string): Promise<string | undefined> | undefined {
    if (this.#waiting.size >= maxWaiting || this.#ofAddress.of(address) >= maxWaitingOfAddress) {
      return undefined
    }
    const uncount = this.#ofAddress.add(address)
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(sessionId) ?? new Set()
      this.#waiting.set(sessionId, waiting)
      const settle = (server: string | undefined) => {
        cancel()
        uncount()
        waiting.delete(settle)
        if (waiting.size === 0) {
          this.#waiting.delete(sessionId)
        }
        resolve(server)
      }
      const cancel = this.#clock.after(earlyMs, () => settle(undefined))
      waiting.add(settle)
    })
  }

  #announced(sessionId: string, server: string): void {
    for (const settle of this.#waiting.get(sessionId) ?? []) {
      settle(server)
    }
  }
}
