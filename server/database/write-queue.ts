import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Turns for the one writer, first come first served. SQLite has its own lock, but waiting for that one blocks a thread
 * of libuv's pool per waiter, until the holder cannot run either.
 */
export class WriteQueue {
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  readonly #turn = new AsyncLocalStorage<{ isOver: boolean }>()

  /** Throws when the caller must not wait for a turn: after `close`, and from within a turn, which would wait for itself. */
  admit(): void {
    if (this.#isClosed) {
      throw new Error('The database is closed')
    }
    if (this.#turn.getStore()?.isOver === false) {
      throw new Error('A write inside a write would wait for itself: use the transaction that is already open')
    }
  }

  /** Runs `work` when everything queued before it has ended, whether well or not. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    const turn = { isOver: false }
    const result = this.#last
      .then(() => this.#turn.run(turn, work))
      .finally(() => {
        turn.isOver = true
      })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Accepts no more work and waits for what was accepted. */
  async close(): Promise<void> {
    this.#isClosed = true
    let seen
    do {
      seen = this.#last
      await seen
    } while (seen !== this.#last)
  }
}
