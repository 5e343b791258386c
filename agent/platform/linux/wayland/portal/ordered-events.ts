import { systemClock, wait, type Clock } from '../../../../base/clock.ts'

/** Time that an event may wait for those before: later, its viewer no longer expects it (T33). */
const staleMs = 2_000
/** Time for the last events to arrive when the session ends. */
const drainMs = 1_000

/** Sends input events one after the other. A portal that hangs gets none of them later, except releases. */
export class OrderedEvents {
  readonly #clock: Clock
  #last: Promise<unknown> = Promise.resolve()
  #isEnded = false

  constructor(clock: Clock = systemClock) {
    this.#clock = clock
  }

  /** `send` must not reject. A release is sent late, too: its key or button may be down. */
  add(send: () => Promise<unknown>, isRelease: boolean): void {
    const staleAt = this.#clock.monotonic() + staleMs
    this.#last = this.#last.then(() => {
      const isWanted = isRelease || this.#clock.monotonic() <= staleAt
      return isWanted && !this.#isEnded ? send() : undefined
    })
  }

  /** Resolves when all events have arrived, or after a time, with the rest dropped. */
  async end(): Promise<void> {
    await Promise.race([this.#last, wait(this.#clock, drainMs)])
    this.#isEnded = true
  }
}
