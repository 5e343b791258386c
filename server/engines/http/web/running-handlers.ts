import type { Clock } from '../../../ground/clock.ts'

/** Limit of the wait for handlers whose connections are closed. */
const waitMs = 1_000

/** Handlers that still run. Some outlive their connection, and read the database: a shutdown waits for them. */
export class RunningHandlers {
  #running = 0
  #whenNone = () => {}

  add(answer: Promise<void>): void {
    this.#running++
    answer.then(this.#ended, this.#ended)
  }

  readonly #ended = (): void => {
    this.#running--
    if (this.#running === 0) {
      this.#whenNone()
    }
  }

  /** Resolves when no handler runs, or at the time limit. */
  async settled(clock: Clock): Promise<void> {
    let cancel = () => {}
    const limit = new Promise<void>((resolve) => (cancel = clock.after(waitMs, resolve)))
    const none = new Promise<void>((resolve) => {
      this.#whenNone = resolve
      if (this.#running === 0) {
        resolve()
      }
    })
    await Promise.race([none, limit])
    cancel()
  }
}
