import type { Clock } from '../../clock.ts'

interface Count {
  value: number
  endsAt: number
}

interface CountsOptions {
  windowMs: number
  /** Past that the oldest are forgotten. */
  maxKeys?: number
}

/**
 * Counts by key, each in a window that begins with its first. Memory is bounded: who comes from so many addresses that
 * old ones are forgotten gains nothing, and no stranger is counted together with them.
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

  /** The count of a key and how long its window still lasts. */
  of(key: string): { value: number; leftMs: number } {
    const count = this.#counts.get(key)
    const leftMs = count ? count.endsAt - this.#clock.monotonic() : 0
    return count && leftMs > 0 ? { value: count.value, leftMs } : { value: 0, leftMs: 0 }
  }

  /** Adds one; returns the count with it. */
  add(key: string): number {
    const now = this.#clock.monotonic()
    this.#forgetOld(now)
    const count = this.#counts.get(key) ?? { value: 0, endsAt: now + this.#windowMs }
    count.value++
    this.#counts.set(key, count)
    return count.value
  }

  clear(key: string): void {
    this.#counts.delete(key)
  }

  /** Windows that have passed, and the oldest where there is no room for one more. */
  #forgetOld(now: number): void {
    for (const [key, { endsAt }] of this.#counts) {
      if (endsAt > now && this.#counts.size < this.#maxKeys) {
        return
      }
      this.#counts.delete(key)
    }
  }
}
