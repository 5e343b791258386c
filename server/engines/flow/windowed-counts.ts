import type { Clock } from '../../ground/clock.ts'

interface Count {
  value: number
  endsAt: number
}

interface CountsOptions {
  windowMs: number
  /** Limit of keys; then the oldest are evicted. */
  maxKeys?: number
}

/**
 * Counts by key, each in a window that begins with its first hit. Memory is bounded: an attacker with enough addresses
 * to evict old keys gains nothing, and strangers are never counted together.
 */
export class WindowedCounts {
  readonly #clock: Clock
  readonly #windowMs: number
  readonly #maxKeys: number
  /** Oldest window first, which is the order of insertion. */
  readonly #counts = new Map<string, Count>()

  constructor(clock: Clock, { windowMs, maxKeys = 10_000 }: CountsOptions) {
    this.#clock = clock
    this.#windowMs = windowMs
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#counts.size
  }

  of(key: string): { value: number; leftMs: number } {
    const count = this.#counts.get(key)
    const leftMs = count ? count.endsAt - this.#clock.monotonic() : 0
    return count && leftMs > 0 ? { value: count.value, leftMs } : { value: 0, leftMs: 0 }
  }

  /** Adds a hit; returns the new count. */
  add(key: string): number {
    const now = this.#clock.monotonic()
    this.#evict(now)
    const count = this.#counts.get(key) ?? { value: 0, endsAt: now + this.#windowMs }
    count.value++
    this.#counts.set(key, count)
    return count.value
  }

  /** Takes back a hit. */
  remove(key: string): void {
    const count = this.#counts.get(key)
    if (count && count.value > 0) {
      count.value--
    }
  }

  clear(key: string): void {
    this.#counts.delete(key)
  }

  /** Evicts expired windows, and the oldest if the map is full. */
  #evict(now: number): void {
    for (const [key, { endsAt }] of this.#counts) {
      if (endsAt > now && this.#counts.size < this.#maxKeys) {
        return
      }
      this.#counts.delete(key)
    }
  }
}
