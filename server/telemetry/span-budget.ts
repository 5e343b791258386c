/** Maximum number of requests with a span per second: a span costs 30 µs, so together 1.5 % of a core. */
const spansPerSecond = 500

/** Limits spans of requests per second, so that a flood of requests is not made worse by its own telemetry. */
export class SpanBudget {
  readonly #perSecond: number
  #second = -1
  #left = 0

  constructor(perSecond = spansPerSecond) {
    this.#perSecond = perSecond
  }

  /** Returns whether a request at this time (ms) may be recorded. */
  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1000)
    if (second !== this.#second) {
      this.#second = second
      this.#left = this.#perSecond
    }
    return this.#left-- > 0
  }
}
