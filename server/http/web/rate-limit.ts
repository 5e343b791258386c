import type { Clock } from '../../clock.ts'
import { AppError } from '../../errors.ts'

export interface RateLimit {
  /** Throws a 429 that says when to come back, once the key has used up its window. */
  check(key: string): void
  count(key: string): void
}

/**
 * Fixed window: at most `limit` hits per key and window. Memory is bounded: the table is emptied with each window, and
 * past `maxKeys` new keys share one counter.
 */
export function createRateLimit(clock: Clock, { limit, windowMs, maxKeys = 10_000 }: RateLimitOptions): RateLimit {
  let hits = new Map<string, number>()
  let windowStart = clock.monotonic()
  const slotOf = (key: string) => {
    const now = clock.monotonic()
    if (now - windowStart >= windowMs) {
      hits = new Map()
      windowStart = now
    }
    return hits.has(key) || hits.size < maxKeys ? key : ''
  }
  return {
    check(key) {
      const slot = slotOf(key)
      if ((hits.get(slot) ?? 0) >= limit) {
        const seconds = Math.max(1, Math.ceil((windowStart + windowMs - clock.monotonic()) / 1000))
        throw new AppError(429, `Too many attempts. Try again in ${seconds} s.`, {
          headers: { 'retry-after': String(seconds) },
        })
      }
    },
    count(key) {
      const slot = slotOf(key)
      hits.set(slot, (hits.get(slot) ?? 0) + 1)
    },
  }
}

interface RateLimitOptions {
  limit: number
  windowMs: number
  maxKeys?: number
}
