import type { Clock } from '../base/clock.ts'

/** Errors of all attempts, in order. */
export class AllFailed extends Error {
  readonly failures: readonly { item: string; error: unknown }[]

  constructor(failures: readonly { item: string; error: unknown }[]) {
    super('None of the addresses leads to the server.')
    this.failures = failures
  }
}

export interface FirstOfOptions {
  clock: Pick<Clock, 'after'>
  signal?: AbortSignal | undefined
  /** Maximum delay before the next attempt; a failed attempt starts the next at once. */
  staggerMs: number
}

/** Tries items in order, without waiting for slow ones, until one succeeds; aborts the others. */
export function firstOf<Result>(
  items: readonly string[],
  attempt: (item: string, signal: AbortSignal) => Promise<Result>,
  { clock, signal, staggerMs }: FirstOfOptions,
): Promise<{ item: string; result: Result }> {
  const won = new AbortController()
  const stop = signal ? AbortSignal.any([signal, won.signal]) : won.signal
  const errors = new Map<string, unknown>()
  const waiting = items.values()
  let cancelNext = () => {}
  return new Promise((resolve, reject) => {
    const failAll = () => reject(new AllFailed(items.map((item) => ({ item, error: errors.get(item) }))))
    const startNext = () => {
      cancelNext()
      const { done, value: item } = waiting.next()
      if (done || stop.aborted) {
        return
      }
      cancelNext = clock.after(staggerMs, startNext)
      attempt(item, stop).then(
        (result) => {
          cancelNext()
          won.abort()
          resolve({ item, result })
        },
        (error: unknown) => {
          errors.set(item, error)
          if (errors.size === items.length || stop.aborted) {
            cancelNext()
            failAll()
          } else {
            startNext()
          }
        },
      )
    }
    if (items.length === 0 || stop.aborted) {
      failAll()
    } else {
      startNext()
    }
  })
}
