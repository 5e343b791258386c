import { uptime } from 'node:os'

/** Ends a timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void

/** Time as a parameter, so that tests move it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number
  /** Milliseconds, with fractions, that never go back: for durations. */
  monotonic(): number
  /** Milliseconds since the device started; counts its sleep, which `monotonic` does not on every system. */
  uptime(): number
  after(delayMs: number, run: () => void): Cancel
  every(intervalMs: number, run: () => void): Cancel
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  uptime: () => uptime() * 1000,
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs)
    return () => clearInterval(timer)
  },
}

export const wait = (clock: Clock, delayMs: number) =>
  new Promise<void>((resolve) => {
    clock.after(delayMs, resolve)
  })
