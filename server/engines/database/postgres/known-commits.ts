import { lost } from './failures.ts'

interface Waiting {
  at: number
  resolve(): void
}

/** Moment before which the mirrors know all commits, by the monotonic clock. */
export class KnownCommits {
  #until = -Infinity
  readonly #waiting = new Set<Waiting>()

  /** Notes that all commits before `at` are known. */
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

  /** Resolves when all commits before `at` are known; rejects as a lost connection does when that takes too long. */
  async whenHas(at: number, patienceMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { at, resolve }
    this.#waiting.add(waiting)
    // A process that stood still reads first what has arrived meanwhile.
    const timer = setTimeout(() => setImmediate(() => reject(lost())), patienceMs)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(waiting)
    }
  }
}
