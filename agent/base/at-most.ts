import type { Clock } from './clock.ts'
import { UserError } from './errors.ts'

export interface AtMostOptions {
  clock: Clock
  /** Pieces of work at the same time. */
  running: number
  /** Pieces of work in the queue; more are rejected at once. */
  waiting: number
  waitMs: number
  /** How long a caller waits for work that has begun. */
  runMs: number
  /** Sentence for a caller whose work was not begun. */
  busy: string
  /** Sentence for a caller whose work did not end in time. */
  late: string
}

/**
 * Limits work that runs at the same time, with a bounded queue in the order of arrival. Work that does not end in time
 * keeps its place until it ends: it holds a thread or memory, and its place would go to work that hangs as well.
 */
export class AtMost {
  readonly #options: AtMostOptions
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: AtMostOptions) {
    this.#options = options
  }

  /** Rejects with a UserError when the queue is full, or when the wait or the work takes too long. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { clock, running, runMs, late } = this.#options
    if (this.#running >= running) {
      await this.#turn()
    } else {
      this.#running++
    }
    const done = work().finally(() => this.#leave())
    return await new Promise<T>((resolve, reject) => {
      const cancel = clock.after(runMs, () => reject(new UserError(late)))
      done.then(resolve, reject).finally(cancel)
    })
  }

  #turn(): Promise<void> {
    const { clock, waiting, waitMs, busy } = this.#options
    if (this.#waiting.size >= waiting) {
      return Promise.reject(new UserError(busy))
    }
    return new Promise((resolve, reject) => {
      const cancel = clock.after(waitMs, () => {
        this.#waiting.delete(begin)
        reject(new UserError(busy))
      })
      const begin = () => {
        cancel()
        resolve()
      }
      this.#waiting.add(begin)
    })
  }

  #leave() {
    const [next] = this.#waiting
    if (next) {
      this.#waiting.delete(next)
      next()
    } else {
      this.#running--
    }
  }
}
