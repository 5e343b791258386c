import type { Clock } from './clock.ts'
import { UserError } from './errors.ts'

export interface ConcurrencyLimitOptions {
  clock: Clock
  /** Maximum number of concurrent calls. */
  running: number
  /** Maximum queue length; further calls are rejected at once. */
  waiting: number
  waitMs: number
  /** Timeout for a caller after the work has begun. */
  runMs: number
  /** Message for a caller whose work was not started. */
  busy: string
  /** Message for a caller whose work timed out. */
  late: string
}

/**
 * Limits concurrent work, with a bounded FIFO queue. Work that times out keeps its slot until it ends, because it still
 * uses a thread or memory, and a freed slot would go to further hanging work.
 */
export class ConcurrencyLimit {
  readonly #options: ConcurrencyLimitOptions
  #running = 0
  readonly #waiting = new Set<() => void>()

  constructor(options: ConcurrencyLimitOptions) {
    this.#options = options
  }

  /** Rejects with a UserError when the queue is full, or when the wait or the work takes too long. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const { clock, running, runMs, late } = this.#options
    if (this.#running >= running) {
      await this.#slot()
    } else {
      this.#running++
    }
    const done = work().finally(() => this.#freeSlot())
    return await new Promise<T>((resolve, reject) => {
      const cancel = clock.after(runMs, () => reject(new UserError(late)))
      done.then(resolve, reject).finally(cancel)
    })
  }

  #slot(): Promise<void> {
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

  #freeSlot() {
    const [next] = this.#waiting
    if (next) {
      this.#waiting.delete(next)
      next()
    } else {
      this.#running--
    }
  }
}
