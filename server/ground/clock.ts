import { uptime } from 'node:os'
import type { Clock } from '../../shared/clock.ts'

export type { Cancel, Clock } from '../../shared/clock.ts'

/** The system clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs).unref()
    return () => clearInterval(timer)
  },
}

/** Resolves after a time, or at once when `signal` aborts. */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      cancel()
      signal.removeEventListener('abort', end)
      resolve()
    }
    const cancel = clock.after(ms, end)
    signal.addEventListener('abort', end)
    if (signal.aborted) {
      end()
    }
  })
}

/** Maximum time for which work of one request may block the event loop. */
const sliceMs = 5

/** Time slice of long work on the main thread, which checks `isOver` and then yields; loops over items use `inSlices`. */
export class TimeSlice {
  #endsAt = performance.now() + sliceMs

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Yields to the event loop, and starts a new slice. */
  async yield(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#endsAt = performance.now() + sliceMs
  }
}

/** Iterates over items. Yields to the event loop between them, because thousands of items take longer than a time slice. */
export async function* inSlices<T>(items: Iterable<T>): AsyncIterable<T> {
  const slice = new TimeSlice()
  for (const item of items) {
    if (slice.isOver) {
      await slice.yield()
    }
    yield item
  }
}

/** Maps items. Yields, because thousands of items take longer than a time slice. */
export async function mapInSlices<T, R>(items: readonly T[], make: (item: T) => R): Promise<R[]> {
  const made: R[] = []
  for await (const item of inSlices(items)) {
    made.push(make(item))
  }
  return made
}

/** Number of items that are sorted well within a time slice. */
const sortedAtOnce = 500

/** Sorts items. Yields between parts and merges: sorting two sorted halves together takes linear time. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  slice = new TimeSlice(),
): Promise<T[]> {
  if (slice.isOver) {
    await slice.yield()
  }
  if (items.length <= sortedAtOnce) {
    return items.toSorted(compare)
  }
  const middle = Math.ceil(items.length / 2)
  const first = await sortInSlices(items.slice(0, middle), compare, slice)
  const second = await sortInSlices(items.slice(middle), compare, slice)
  return [...first, ...second].toSorted(compare)
}
