import type { Transaction } from 'sequelize'
import type { Commits } from './commits.ts'
import type { Engine } from './engine.ts'
import type { WriteQueue } from './write-queue.ts'

type Work<T> = (transaction: Transaction) => Promise<T>

/** Limits the time that one group occupies the writer. */
const largestGroup = 32

interface Waiting {
  work: Work<unknown>
  resolve(result: unknown): void
  reject(error: unknown): void
}

/**
 * Runs the writes that wait for the writer in one transaction: one flush to disk for all. Each has a savepoint, so a
 * write that fails is rolled back alone; all are answered after the flush, in order.
 */
export class SharedWrites {
  readonly #engine: Engine
  readonly #queue: WriteQueue
  readonly #commits: Commits
  #waiting: Waiting[] = []

  constructor(engine: Engine, queue: WriteQueue, commits: Commits) {
    this.#engine = engine
    this.#queue = queue
    this.#commits = commits
  }

  run<T>(work: Work<T>): Promise<T> {
    this.#queue.admit()
    return new Promise<T>((resolve, reject) => {
      this.#waiting.push({ work, resolve: resolve as Waiting['resolve'], reject })
      if (this.#waiting.length === 1) {
        this.#enqueue()
      }
    })
  }

  #enqueue() {
    void this.#queue.enqueue(async () => {
      const group = this.#waiting.splice(0, largestGroup)
      if (this.#waiting.length > 0) {
        this.#enqueue()
      }
      await this.#commit(group)
    })
  }

  async #commit(group: readonly Waiting[]) {
    const [first, ...others] = group
    if (first && others.length === 0) {
      await this.#commits.transact(first.work).then(first.resolve, first.reject)
      return
    }
    try {
      await this.#commitTogether(group)
    } catch (error) {
      if (!this.#engine.isOfItem(error)) {
        group.forEach(({ reject }) => reject(error))
        return
      }
      // A write caught the error of a statement, or its items were rejected before the commit: that write fails alone.
      for (const waiting of group) {
        await this.#commitTogether([waiting]).catch(waiting.reject)
      }
    }
  }

  async #commitTogether(group: readonly Waiting[]) {
    const answers = await this.#commits.transact((transaction) => this.#runEach(group, transaction))
    answers.forEach((answer) => answer())
  }

  /** Returns the answers, to be given after the commit. */
  async #runEach(group: readonly Waiting[], transaction: Transaction) {
    const { writer, writeLock } = this.#engine
    const answers: (() => void)[] = []
    let marked = Promise.resolve()
    /** Sets a savepoint before the next write, which need not wait for it: the session runs its calls in order. */
    const mark = (sql: string) => {
      marked = Promise.all([marked, writer.exec(sql)]).then(() => {})
      marked.catch(() => {})
    }
    mark('SAVEPOINT shared_write')
    for (const [index, { work, resolve, reject }] of group.entries()) {
      const dropAdded = this.#commits.savepoint(transaction)
      try {
        const result = await work(transaction)
        answers.push(() => resolve(result))
        // PostgreSQL notices by itself when the last write has caught an error: the wait would cost a round trip.
        if (!writeLock || index < group.length - 1) {
          mark('RELEASE shared_write; SAVEPOINT shared_write')
        }
      } catch (error) {
        answers.push(() => reject(error))
        dropAdded()
        // Fails, and with it the whole group, if SQLite has rolled back everything, as on a full disk.
        await writer.exec('ROLLBACK TO shared_write')
      }
    }
    await marked
    return answers
  }
}
