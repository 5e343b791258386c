import type { Clock } from '../clock.ts'
import { unauthorized } from '../errors.ts'
import type { Log } from '../log.ts'

export interface FailureThrottleOptions {
  /** What is attempted, for texts: the name of the header. */
  subject: string
  /** Failures on one axis within the window that block it; 0 or less never does. */
  limit: number
  windowMs: number
  /** Past that the oldest are dropped: many attackers must not lock out those who never failed. */
  maxAxes?: number
}

interface Failures {
  count: number
  endsAt: number
}

/**
 * Counts failed attempts on several axes at once, such as the client's address and the key that was named. Too many on
 * one of them block it until its window has passed, and a success clears all that it touches. Memory is bounded.
 */
export class FailureThrottle {
  readonly #clock: Clock
  readonly #log: Log
  readonly #options: Required<FailureThrottleOptions>
  /** Oldest window first, which is the order of insertion. */
  readonly #byAxis = new Map<string, Failures>()

  constructor({ clock, log }: { clock: Clock; log: Log }, options: FailureThrottleOptions) {
    this.#clock = clock
    this.#log = log
    this.#options = { maxAxes: 10_000, ...options }
  }

  get size(): number {
    return this.#byAxis.size
  }

  /** The result of the attempt. Throws 401 when it has none, and without trying when one of the axes is blocked. */
  attempt<T>(axes: readonly string[], make: () => T | undefined): T {
    const { subject } = this.#options
    if (axes.some((axis) => this.#isBlocked(axis))) {
      throw unauthorized(`The ${subject} header was wrong too often. Try again later.`)
    }
    const result = make()
    if (result === undefined) {
      axes.forEach((axis) => this.#count(axis))
      throw unauthorized(`The ${subject} header is not valid.`)
    }
    if (this.#byAxis.size > 0) {
      axes.forEach((axis) => this.#byAxis.delete(axis))
    }
    return result
  }

  #isBlocked(axis: string) {
    const failures = this.#byAxis.get(axis)
    return failures !== undefined && failures.count >= this.#options.limit && failures.endsAt > this.#clock.monotonic()
  }

  #count(axis: string) {
    const { limit, windowMs, subject } = this.#options
    if (limit <= 0 || windowMs <= 0) {
      return
    }
    const now = this.#clock.monotonic()
    this.#forgetOld(now)
    const failures = this.#byAxis.get(axis) ?? { count: 0, endsAt: now + windowMs }
    failures.count++
    this.#byAxis.set(axis, failures)
    if (failures.count === limit) {
      this.#log.warn({ axis, windowMs }, `The ${subject} header was wrong too often; it is refused for a while.`)
    }
  }

  /** Windows that have passed, and the oldest ones where there is no room for two more. */
  #forgetOld(now: number) {
    for (const [axis, { endsAt }] of this.#byAxis) {
      if (endsAt > now && this.#byAxis.size < this.#options.maxAxes) {
        return
      }
      this.#byAxis.delete(axis)
    }
  }
}
