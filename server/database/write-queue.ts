import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * FIFO mutex of the one writer. SQLite has its own lock, but each waiter for it blocks a thread of libuv's pool, until
 * the holder cannot run either.
 */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  readonly #job = new AsyncLocalStorage<{ isOver: boolean }>()

  /** Throws if the caller must not wait: after `close`, and inside a queued job, which would deadlock. */
  admit(): void {
    if (this.#isClosed) {
      throw new Error('The database is closed')
    }
    if (this.#job.getStore()?.isOver === false) {
      throw new Error('A write inside a write would wait for itself: use the transaction that is already open')
    }
  }

  /** Runs `work` after everything queued before has settled. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    const job = { isOver: false }
    const result = this.#last
      .then(() => this.#job.run(job, work))
      .finally(() => {
        job.isOver = true
      })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Rejects new work and waits for the accepted work. */
  async close(): Promise<void> {
    this.#isClosed = true
    let seen
    do {
      seen = this.#last
      await seen
    } while (seen !== this.#last)
  }
}
