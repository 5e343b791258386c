import type { Clock } from '../ground/clock.ts'
import type { HubConnection } from '../engines/signalr/index.ts'

/** Checks connections once, some time after they opened. One timer serves all of them. */
export class CheckedConnections {
  readonly #clock: Clock
  readonly #delayMs: number
  readonly #check: (connection: HubConnection) => void
  /** Times of the checks, in their order. */
  readonly #due = new Map<HubConnection, number>()
  #isWaiting = false

  constructor(clock: Clock, delayMs: number, check: (connection: HubConnection) => void) {
    this.#clock = clock
    this.#delayMs = delayMs
    this.#check = check
  }

  add(connection: HubConnection): void {
    this.#due.set(connection, this.#clock.monotonic() + this.#delayMs)
    if (!this.#isWaiting) {
      this.#waitFor(this.#delayMs)
    }
  }

  remove(connection: HubConnection): void {
    this.#due.delete(connection)
  }

  #waitFor(ms: number): void {
    this.#isWaiting = true
    this.#clock.after(ms, () => this.#checkDue())
  }

  #checkDue(): void {
    this.#isWaiting = false
    const now = this.#clock.monotonic()
    for (const [connection, dueAt] of this.#due) {
      if (dueAt > now) {
        this.#waitFor(dueAt - now)
        return
      }
      this.#due.delete(connection)
      this.#check(connection)
    }
  }
}
