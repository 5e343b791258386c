import { systemClock, type Clock } from '../../server/ground/clock.ts'

/** Clock that moves only when a test advances it. */
export interface ManualClock extends Clock {
  /** Advances time in one jump, like a machine that slept: due timers run now, once each. */
  advance(ms: number): void
}

/**
 * Monday noon, so that no test depends on the day or the hour at which it runs. A server whose peers have the real clock,
 * such as agents that sign their reports, starts at `Date.now()` and compares differences only.
 */
export const testInstant = new Date(2026, 5, 15, 12).getTime()

export function manualClock(startMs = testInstant): ManualClock {
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
    uptime: () => passed,
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

/** Clock whose wall time a test shifts, and whose jobs with the interval `jobMs` run when a test says so. */
export function shiftedClock(jobMs: number): Clock & { shift(ms: number): void; pass(): void } {
  let shiftedMs = 0
  const jobs = new Set<() => void>()
  return {
    ...systemClock,
    now: () => Date.now() + shiftedMs,
    every(ms, run) {
      if (ms !== jobMs) {
        return systemClock.every(ms, run)
      }
      jobs.add(run)
      return () => void jobs.delete(run)
    },
    shift: (ms) => void (shiftedMs += ms),
    pass: () => jobs.forEach((run) => run()),
  }
}

/** Clock that a test advances from one due timer to the next, so that each timer reads the time at which it is due. */
export function steppedClock(startMs: number) {
  let passed = 0
  const timers = new Set<{ at: number; everyMs: number | undefined; run: () => void }>()
  const set = (delayMs: number, everyMs: number | undefined, run: () => void) => {
    const timer = { at: passed + delayMs, everyMs, run }
    timers.add(timer)
    return () => void timers.delete(timer)
  }
  const clock: Clock = {
    now: () => startMs + passed,
    monotonic: () => passed,
    uptime: () => passed,
    after: (delayMs, run) => set(delayMs, undefined, run),
    every: (intervalMs, run) => set(intervalMs, intervalMs, run),
  }
  return {
    clock,
    timers: timers as ReadonlySet<unknown>,
    /** Runs one due timer after the other, and pauses after each. */
    *steps(ms: number) {
      const end = passed + ms
      for (;;) {
        const [next] = [...timers].filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)
        if (!next) {
          passed = end
          return
        }
        passed = next.at
        if (next.everyMs === undefined) {
          timers.delete(next)
        } else {
          next.at += next.everyMs
        }
        next.run()
        yield
      }
    },
  }
}
