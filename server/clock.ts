/** Ends a timer. Calling it twice, or after the timer fired, does nothing. */
export type Cancel = () => void

/** Time as a parameter, so that tests move it. */
export interface Clock {
  /** Wall clock, milliseconds since 1970 (UTC). May jump. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes back. For durations and deadlines. */
  monotonic(): number
  after(delayMs: number, run: () => void): Cancel
  every(intervalMs: number, run: () => void): Cancel
}

/** The machine's clock. Its timers never keep the process alive. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs).unref()
    return () => clearTimeout(timer)
  },
  every(intervalMs, run) {
    const timer = setInterval(run, intervalMs).unref()
    return () => clearInterval(timer)
  },
}

/** For how long work of one request may keep all others waiting. */
const turnMs = 10

/** Turns of long work on the main thread: whoever loops over thousands of things asks now and then whether to wait. */
export class Turns {
  #endsAt = performance.now() + turnMs

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets everything that waits have its turn first. */
  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    this.#endsAt = performance.now() + turnMs
  }
}
