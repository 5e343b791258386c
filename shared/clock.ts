/** Cancels a timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void

/** Time as a dependency, so that tests control it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 (UTC). May jump. */
  now(): number
  /** Milliseconds, with fractions, from an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number
  /** Milliseconds since the computer started; counts its sleep, which `monotonic` does not on every system. */
  uptime(): number
  after(delayMs: number, run: () => void): Cancel
  every(intervalMs: number, run: () => void): Cancel
}
