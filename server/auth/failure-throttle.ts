import type { Clock } from '../clock.ts'
import { unauthorized } from '../errors.ts'
import { WindowedCounts } from '../http/web/windowed-counts.ts'
import type { Log } from '../log.ts'

export interface FailureThrottleOptions {
  /** What is attempted, for texts: the name of the header. */
  subject: string
  /** Failures on one axis within the window that block it; 0 or less never does. */
  limit: number
  windowMs: number
  /** A right credential works on a blocked axis, too. */
  letsRightPass?: boolean
  /** Past that the oldest are dropped: many attackers must not lock out those who never failed. */
  maxAxes?: number
}

/**
 * Counts failed attempts on several axes at once, such as the client's address and the key that was named. Too many on
 * one of them block it until its window has passed, and a success clears all that it touches. Memory is bounded. A
 * blocked attempt is 401 without `Retry-After`, as the interface says.
 */
export class FailureThrottle {
  readonly #log: Log
  readonly #options: FailureThrottleOptions
  readonly #failures: WindowedCounts

  constructor({ clock, log }: { clock: Clock; log: Log }, options: FailureThrottleOptions) {
    const { windowMs, maxAxes = 10_000 } = options
    this.#log = log
    this.#options = options
    this.#failures = new WindowedCounts(clock, { windowMs, maxKeys: maxAxes })
  }

  get size(): number {
    return this.#failures.size
  }

  /**
   * The result of the attempt. Throws 401 when it has none, and without trying when one of the axes is blocked, unless
   * right credentials pass.
   */
  attempt<T>(axes: readonly string[], make: () => T | undefined): T {
    const { subject, letsRightPass = false } = this.#options
    const blockedMs = Math.max(...axes.map((axis) => this.#blockedMs(axis)))
    const result = blockedMs > 0 && !letsRightPass ? undefined : make()
    if (result === undefined && blockedMs > 0) {
      const minutes = Math.ceil(blockedMs / 60_000)
      throw unauthorized(
        `The ${subject} header was wrong too often from this address, or for this key. Try again in ${minutes} min.`,
      )
    }
    if (result === undefined) {
      axes.forEach((axis) => this.#count(axis))
      throw unauthorized(`The ${subject} header is not valid.`)
    }
    if (this.size > 0) {
      axes.forEach((axis) => this.#failures.clear(axis))
    }
    return result
  }

  /** How long an axis stays blocked; 0 for one that is not. */
  #blockedMs(axis: string): number {
    const { limit } = this.#options
    if (limit <= 0 || this.size === 0) {
      return 0
    }
    const { value, leftMs } = this.#failures.of(axis)
    return value >= limit ? leftMs : 0
  }

  #count(axis: string) {
    const { limit, windowMs, subject } = this.#options
    if (limit <= 0 || windowMs <= 0) {
      return
    }
    if (this.#failures.add(axis) === limit) {
      this.#log.warn({ axis, windowMs }, `The ${subject} header was wrong too often; it is refused for a while.`)
    }
  }
}
