import type { Clock } from '../clock.ts'
import { AppError } from '../errors.ts'

/**
 * Fixed window: at most `limit` hits per key and window; the next one throws a 429 that says when to come back. Memory
 * is bounded: the table is emptied with each window, and past `maxKeys` new keys share one counter.
 */
export function createRateLimit(clock: Clock, { limit, windowMs, maxKeys = 10_000 }: RateLimitOptions) {
  let hits = new Map<string, number>()
  let windowStart = clock.monotonic()
  return (key: string): void => {
    const now = clock.monotonic()
    if (now - windowStart >= windowMs) {
      hits = new Map()
      windowStart = now
    }
    const slot = hits.has(key) || hits.size < maxKeys ? key : ''
    const count = (hits.get(slot) ?? 0) + 1
    hits.set(slot, count)
    if (count > limit) {
      const seconds = Math.max(1, Math.ceil((windowStart + windowMs - now) / 1000))
      throw new AppError(429, `Too many attempts. Try again in ${seconds} s.`, {
        headers: { 'retry-after': String(seconds) },
      })
    }
  }
}

interface RateLimitOptions {
  limit: number
  windowMs: number
  maxKeys?: number
}
