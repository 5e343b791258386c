import { lost } from './failures.ts'

interface Waiting {
  at: number
  resolve(): void
}

/** Moment before which the mirrors know all commits, by the monotonic clock. */
export class KnownCommits {
  #until = -Infinity
  readonly #waiting = new Set<Waiting>()

  note(at: number): void {
    this.#until = Math.max(this.#until, at)
    for (const waiting of this.#waiting) {
      if (waiting.at <= this.#until) {
        waiting.resolve()
      }
    }
  }

  has(at: number): boolean {
    return at <= this.#until
  }

  /** Resolves when all commits before `at` are known; rejects after `timeoutMs`, as a lost connection does. */
  async whenHas(at: number, timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { at, resolve }
    this.#waiting.add(waiting)
    // After a pause of the process, answers that have arrived are read before the timeout counts.
    const timer = setTimeout(() => setImmediate(() => reject(lost())), timeoutMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    }
  }
}
