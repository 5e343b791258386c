import type { Clock } from '../../server/clock.ts'

/** Time that moves only when told to. */
export interface ManualClock extends Clock {
  /** Moves time forward at once, as on a machine that slept: timers that are due run now, once each. */
  advance(ms: number): void
}

export function manualClock(startMs = Date.now()): ManualClock {
  let passed = 0
  const timers = new Set<{ at: number; everyMs: number | undefined; run: () => void }>()
  const set = (delayMs: number, everyMs: number | undefined, run: () => void) => {
    const timer = { at: passed + delayMs, everyMs, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  return {
    now: () => startMs + passed,
    monotonic: () => passed,
    after: (delayMs, run) => set(delayMs, undefined, run),
    every: (intervalMs, run) => set(intervalMs, intervalMs, run),
    advance(ms) {
      passed += ms
      const due = [...timers].filter(({ at }) => at <= passed).toSorted((a, b) => a.at - b.at)
      for (const timer of due) {
        if (timer.everyMs === undefined) {
          timers.delete(timer)
        } else {
          timer.at = passed + timer.everyMs
        }
        timer.run()
      }
    },
  }
}
