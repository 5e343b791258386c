import type { App } from '../call/call.ts'
import { unauthorized } from '../ground/errors.ts'
import { WindowedCounts } from '../engines/flow/windowed-counts.ts'
import type { Log } from '../ground/log.ts'

export interface FailureThrottleOptions {
  /** Name of the header, for messages. */
  subject: string
  /** Failures on one axis within the window that block it; 0 or less disables blocking. */
  limit: number
  windowMs: number
  /** A correct credential also works on a blocked axis. */
  allowsCorrect?: boolean
  /** Limit of axes; then the oldest are evicted: many attackers must not lock out users without failures. */
  maxAxes?: number
}

/**
 * Throttles failed attempts on several axes at once, such as the client's address and the key id. Too many failures
 * block an axis until its window ends, and a success resets its axes. Memory is bounded. A blocked attempt is 401
 * without `Retry-After`, as the API defines. Servers of one database count together while Redis answers.
 */
export class FailureThrottle {
  readonly #log: Log
  readonly #options: FailureThrottleOptions
  readonly #failures: WindowedCounts
  /** Publishes an attempt that changes counts to the other servers. */
  readonly #share: (isFailed: boolean, axes: readonly string[]) => void

  constructor({ clock, log, cluster }: Pick<App, 'clock' | 'log' | 'cluster'>, options: FailureThrottleOptions) {
    const { windowMs, subject, maxAxes = 10_000 } = options
    this.#log = log
    this.#options = options
    this.#failures = new WindowedCounts(clock, { windowMs, maxKeys: maxAxes })
    const channel = `wrong ${subject}`
    this.#share = (isFailed, axes) => cluster?.publish(channel, JSON.stringify([isFailed, ...axes]))
    cluster?.subscribe(channel, (message) => {
      const [isFailed, ...axes] = JSON.parse(message) as [boolean, ...string[]]
      axes.forEach((axis) => (isFailed ? this.#count(axis) : this.#failures.clear(axis)))
    })
  }

  get size(): number {
    return this.#failures.size
  }

  /**
   * Returns the result of the attempt. Throws 401 without a result; on a blocked axis, throws without trying, unless
   * correct credentials pass. `failed` is called for a failure that is not blocked, with whether it begins a block.
   */
  attempt<T>(axes: readonly string[], make: () => T | undefined, failed: (isBlocked: boolean) => void = () => {}): T {
    const { subject, allowsCorrect = false } = this.#options
    const blockedMs = Math.max(...axes.map((axis) => this.#blockedMs(axis)))
    const result = blockedMs > 0 && !allowsCorrect ? undefined : make()
    if (result === undefined && blockedMs > 0) {
      const minutes = Math.ceil(blockedMs / 60_000)
      throw unauthorized(
        `Too many wrong ${subject} headers from this address, or for this key. Try again in ${minutes} min.`,
      )
    }
    if (result === undefined) {
      const isBlocked = axes.map((axis) => this.#count(axis)).includes(true)
      if (this.#isLimited) {
        this.#share(true, axes)
      }
      failed(isBlocked)
      throw unauthorized(`The ${subject} header is not valid.`)
    }
    if (axes.some((axis) => this.#failures.of(axis).value > 0)) {
      axes.forEach((axis) => this.#failures.clear(axis))
      this.#share(false, axes)
    }
    return result
  }

  get #isLimited(): boolean {
    const { limit, windowMs } = this.#options
    return limit > 0 && windowMs > 0
  }

  /** Remaining time of an axis' block; 0 if not blocked. */
  #blockedMs(axis: string): number {
    const { value, leftMs } = this.#failures.of(axis)
    return this.#isLimited && value >= this.#options.limit ? leftMs : 0
  }

  /** Counts a failure. Returns whether it begins a block. */
  #count(axis: string): boolean {
    const { limit, windowMs, subject } = this.#options
    const isBlocked = this.#isLimited && this.#failures.add(axis) === limit
    if (isBlocked) {
      this.#log.warn({ axis, windowMs }, `Blocked after too many wrong ${subject} headers.`)
    }
    return isBlocked
  }
}
