import type { Transaction } from 'sequelize'
import type { BeforeCommit } from './before-commit.ts'
import type { Session } from './connection.ts'
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
  readonly #writer: Session
  readonly #queue: WriteQueue
  /** Runs one transaction. */
  readonly #transact: <T>(work: Work<T>) => Promise<T>
  readonly #beforeCommit: BeforeCommit
  #waiting: Waiting[] = []

  constructor(
    writer: Session,
    queue: WriteQueue,
    transact: <T>(work: Work<T>) => Promise<T>,
    beforeCommit: BeforeCommit,
  ) {
    this.#writer = writer
    this.#queue = queue
    this.#transact = transact
    this.#beforeCommit = beforeCommit
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
    try {
      const answers =
        first && others.length === 0
          ? [await this.#transact(first.work).then((result) => () => first.resolve(result))]
          : await this.#transact((transaction) => this.#runEach(group, transaction))
      answers.forEach((answer) => answer())
    } catch (error) {
      group.forEach(({ reject }) => reject(error))
    }
  }

  /** Returns the answers, to be given after the commit. */
  async #runEach(group: readonly Waiting[], transaction: Transaction) {
    const answers: (() => void)[] = []
    await this.#writer.exec('SAVEPOINT shared_write')
    for (const { work, resolve, reject } of group) {
      const dropAdded = this.#beforeCommit.savepoint(transaction)
      try {
        const result = await work(transaction)
        answers.push(() => resolve(result))
        await this.#writer.exec('RELEASE shared_write; SAVEPOINT shared_write')
      } catch (error) {
        answers.push(() => reject(error))
        dropAdded()
        // Fails, and with it the whole group, if SQLite has rolled back everything, as on a full disk.
        await this.#writer.exec('ROLLBACK TO shared_write')
      }
    }
    return answers
  }
}
