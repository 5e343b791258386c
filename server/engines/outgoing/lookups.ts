import type { LookupAddress } from 'node:dns'
import { lookup } from 'node:dns/promises'
import { Slots } from './slots.ts'

/** Time for one lookup, once it has started. */
const timeoutMs = 10_000
/** Time that a request waits for the lookups before its own. */
const longestWaitMs = 30_000
/** Lookups that take longer count as slow. */
const slowMs = 2_000
/** Time for which a tenant shares a slot with other slow ones. */
const slowForMs = 10 * 60_000
/** Slot of all tenants with slow lookups; no tenant has this id. */
const slowShare = 'slow'

/**
 * Resolves names, one at a time of each tenant. A lookup blocks one of the four threads that files and password hashes
 * need, too, for as long as its name server wants. Tenants whose name servers were slow share one of the two slots, so
 * that the other one stays free for everybody else (T44).
 */
export class Lookups {
  readonly #lookup: (host: string) => Promise<LookupAddress[]>
  readonly #queues = new Slots({ total: Infinity, share: 1 })
  readonly #slots = new Slots({ total: 2, share: 1 })
  /** Time until which a tenant counts as slow. */
  readonly #slowUntil = new Map<string, number>()

  constructor(resolve = (host: string) => lookup(host, { all: true })) {
    this.#lookup = resolve
  }

  /** Addresses of a name; undefined if the lookup or the wait for it takes too long, or the signal ends it. */
  async addressesOf(tenantId: string, host: string, signal?: AbortSignal): Promise<LookupAddress[] | undefined> {
    if (signal?.aborted) {
      return undefined
    }
    const { promise, resolve, reject } = Promise.withResolvers<LookupAddress[] | undefined>()
    let isAbandoned = false
    const abandon = () => {
      isAbandoned = true
      resolve(undefined)
    }
    const waiting = setTimeout(abandon, longestWaitMs)
    const find = async () => {
      clearTimeout(waiting)
      if (isAbandoned) {
        return
      }
      const startedAt = performance.now()
      const timer = setTimeout(abandon, timeoutMs)
      await this.#lookup(host).then(resolve, reject)
      clearTimeout(timer)
      if (performance.now() - startedAt > slowMs) {
        this.#slowUntil.set(tenantId, performance.now() + slowForMs)
      }
    }
    signal?.addEventListener('abort', abandon)
    void this.#queues.run(tenantId, () => this.#slots.run(this.#shareOf(tenantId), find))
    try {
      return await promise
    } finally {
      clearTimeout(waiting)
      signal?.removeEventListener('abort', abandon)
    }
  }

  #shareOf(tenantId: string): string {
    if ((this.#slowUntil.get(tenantId) ?? 0) > performance.now()) {
      return slowShare
    }
    this.#slowUntil.delete(tenantId)
    return tenantId
  }
}
