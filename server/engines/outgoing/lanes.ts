import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../../ground/clock.ts'

interface Lanes {
  clock: Clock
  /** Interval of looking for what is due again. */
  lookMs: number
  /** Returns the lanes in which something is due. */
  due(): Promise<readonly string[]>
  /** Sends what is due in a lane. One call for a lane at a time. */
  send(lane: string, signal: AbortSignal): Promise<void>
  complain(error: unknown): void
}

/** Sends what waits in lanes that do not hold up each other, now, when woken and in an interval. */
export function startLanes({ clock, lookMs, due, send, complain }: Lanes) {
  const end = new AbortController()
  const running = new Map<string, Promise<void>>()
  /** Running lanes in which something became due, perhaps after their last look. */
  const again = new Set<string>()
  /** Leaves the async context of a write: a commit wakes the lanes, which write for themselves. */
  const outsideOfWrites = AsyncLocalStorage.snapshot()
  const look = async () => {
    for (const lane of await due()) {
      if (running.has(lane)) {
        again.add(lane)
        continue
      }
      const work = send(lane, end.signal)
        .catch(complain)
        .finally(() => {
          running.delete(lane)
          if (again.delete(lane)) {
            wake()
          }
        })
      running.set(lane, work)
    }
  }
  let looking: Promise<void> | undefined
  let isAsked = false
  const wake = () => {
    isAsked = true
    looking ??= outsideOfWrites(async () => {
      while (isAsked && !end.signal.aborted) {
        isAsked = false
        await look().catch(complain)
      }
      // Here, not in a later microtask: a call in between would be lost.
      looking = undefined
    })
  }
  wake()
  const cancel = clock.every(lookMs, wake)
  return {
    wake,
    /** Interrupts running requests, and waits for what is being stored. */
    async stop(): Promise<void> {
      end.abort()
      cancel()
      await looking
      await Promise.all(running.values())
    },
  }
}
