import type { Clock } from '../../../ground/clock.ts'
import { AppError } from '../../../ground/errors.ts'
import { WindowedCounts } from '../../flow/windowed-counts.ts'

export interface RateLimit {
  /** Counts an attempt; throws a 429 with `retry-after` once the key has used up its window. */
  take(key: string): void
}

interface RateLimitOptions {
  limit: number
  windowMs: number
  maxKeys?: number
}

/** Fixed window: at most `limit` hits per key and window. */
export function createRateLimit(clock: Clock, { limit, ...options }: RateLimitOptions): RateLimit {
  const hits = new WindowedCounts(clock, options)
  return {
    take(key) {
      const { value, leftMs } = hits.of(key)
      if (value >= limit) {
        const seconds = Math.max(1, Math.ceil(leftMs / 1000))
        throw new AppError(429, `Too many attempts. Try again in ${seconds} s.`, {
          headers: { 'retry-after': String(seconds) },
        })
      }
      hits.add(key)
    },
  }
}
