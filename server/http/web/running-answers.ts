import type { Clock } from '../../clock.ts'

/** Limit of the wait for handlers whose connections are closed. */
const waitMs = 1_000

/** Handlers that still run. Some outlive their connection, and read the database: a shutdown waits for them. */
export class RunningAnswers {
  readonly #running = new Set<Promise<void>>()

  add(answer: Promise<void>): void {
    const running = answer.finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves when no handler runs, or at the time limit. */
  async settled(clock: Clock): Promise<void> {
    let cancel = () => {}
    const limit = new Promise<void>((resolve) => (cancel = clock.after(waitMs, resolve)))
    await Promise.race([Promise.allSettled(this.#running), limit])
    cancel()
  }
}
