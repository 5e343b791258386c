import { AsyncLocalStorage } from 'node:async_hooks'
import { Mutex } from '../../../shared/mutex.ts'

/**
 * Queue of the one writer, first come first served except for urgent work. SQLite has its own lock, but each wait for that
 * lock blocks a thread of libuv's pool, until the holder cannot run either.
 */
export class WriteQueue {
  readonly #writes = new Mutex()
  readonly #urgent: (() => Promise<void>)[] = []
  #isClosed = false
  #problem: Error | undefined
  readonly #current = new AsyncLocalStorage<{ isOver: boolean }>()

  /** Rejects further writes with an error; those that wait run into it themselves. */
  refuse(problem: Error): void {
    this.#problem ??= problem
  }

  /**
   * Throws when the caller must not queue a write: after `close` or `refuse`, and inside a write, which would wait for
   * itself.
   */
  admit(): void {
    if (this.#problem) {
      throw this.#problem
    }
    if (this.#isClosed) {
      throw new Error('The database is closed')
    }
    if (this.#current.getStore()?.isOver === false) {
      throw new Error('A write inside a write would deadlock: use the open transaction')
    }
  }

  /** Runs `work` when everything queued before it has ended or failed. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    return this.#writes.run(async () => {
      for (let urgent = this.#urgent.shift(); urgent; urgent = this.#urgent.shift()) {
        await urgent()
      }
      return this.#run(work)
    })
  }

  /** Runs `work` before everything that waits. */
  enqueueUrgent<T>(work: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#urgent.push(AsyncLocalStorage.bind(() => this.#run(work).then(resolve, reject)))
      void this.enqueue(async () => {})
    })
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    const write = { isOver: false }
    return this.#current.run(write, work).finally(() => {
      write.isOver = true
    })
  }

  /** Rejects new work and waits for the accepted work. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#writes.idle()
  }
}
