import { Transaction } from 'sequelize'
import type { Engine, Followers, Watch, WriteLock } from './engine.ts'
import { BeforeCommit, PerTransaction } from './before-commit.ts'
import type { WatchedTable } from './touched.ts'

/** Runs `store` while no other server writes. */
const lockedBy =
  (lock: WriteLock | undefined) =>
  async <T>(store: () => Promise<T>): Promise<T> => {
    await lock?.acquire()
    try {
      return await store()
    } finally {
      lock?.release()
    }
  }

/** Result of the work of a transaction, with the answers to its last statements. */
interface Worked<T> {
  result: T
  answered: Promise<void>
}

async function storeTransaction<T>(
  { transactions, writer, writeLock, ofCommit }: Engine,
  work: (transaction: Transaction) => Promise<Worked<T>>,
): Promise<T> {
  let worked: Worked<T> | undefined
  try {
    const result = await transactions.transaction({ type: Transaction.TYPES.IMMEDIATE }, async (transaction) => {
      // The connection of the transaction may be newer than the lock.
      writeLock?.check()
      worked = await work(transaction)
      if (!writeLock) {
        await worked.answered
      }
      // PostgreSQL stores nothing of a transaction with a failed statement: COMMIT need not wait for answers.
      return worked.result
    })
    writeLock?.checkCommit()
    return result
  } catch (error) {
    // When COMMIT itself fails, Sequelize leaves the transaction open; usually there is none.
    await writer.exec('ROLLBACK').catch(() => {})
    if (!worked) {
      throw error
    }
    // The failed statement says more than its COMMIT.
    throw ofCommit(
      await worked.answered.then(
        () => error,
        (cause: unknown) => cause,
      ),
    )
  }
}

interface StatementOptions {
  isFollowedByCaller?: boolean
  isMirrored?: boolean
  isChecked: boolean
}

/** Transactions of an engine, and what follows their commits. Call its functions in the write queue. */
export class Commits {
  readonly before = new BeforeCommit()
  /** Called once a transaction is committed and the mirrors know it. */
  readonly after = new PerTransaction<() => void>()
  readonly #engine: Engine
  readonly #exclusively: ReturnType<typeof lockedBy>
  /** Undefined until `watch` is called. */
  #watch: Watch | undefined
  #followers: Followers | undefined
  #open: Transaction | undefined
  readonly #prefetched = new Set<string>()
  readonly #answers = new WeakMap<Transaction, ReadonlyMap<string, Promise<unknown[]>>>()

  constructor(engine: Engine) {
    this.#engine = engine
    this.#exclusively = lockedBy(engine.writeLock)
  }

  /** Follows the later commits. Returns the function that ends that. */
  async watch(tables: readonly WatchedTable[], followers: Followers): Promise<() => Promise<void>> {
    this.#watch = await this.#exclusively(() => this.#engine.watchTables(tables, followers))
    this.#followers = followers
    return this.#watch.finalize
  }

  /** Returns a function that drops what is added to a transaction after this call, when its write is rolled back. */
  savepoint(transaction: Transaction): () => void {
    const drops = [this.before.savepoint(transaction), this.after.savepoint(transaction)]
    return () => drops.forEach((drop) => drop())
  }

  /** Runs a transaction, whose work decides by mirrors that know all earlier commits. */
  async transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    try {
      const { transaction, result } = await this.#exclusively(async () => {
        await this.#watch?.setFollowedByCaller(false)
        return storeTransaction(this.#engine, async (transaction) => {
          this.#open = transaction
          this.#prefetch(transaction)
          try {
            const result = await work(transaction)
            const { answered } = await this.before.store(transaction)
            return { result: { transaction, result }, answered }
          } finally {
            this.#open = undefined
          }
        })
      })
      await this.#follow().finally(() => this.#runHooks(transaction))
      return result
    } catch (error) {
      this.#engine.failed(error)
      throw error
    }
  }

  /**
   * Returns a reader of what a statement finds at the begin of a transaction. Where a round trip costs, the statement is
   * sent together with the begin.
   */
  atBegin<Row>(sql: string): (transaction: Transaction) => Promise<Row[]> {
    this.#prefetched.add(sql)
    return async (transaction) => {
      this.requireOpen(transaction)
      return (
        ((await this.#answers.get(transaction)?.get(sql)) as Row[] | undefined) ?? this.#engine.writer.all<Row>(sql)
      )
    }
  }

  #prefetch(transaction: Transaction): void {
    if (this.#engine.writeLock) {
      const answers = [...this.#prefetched].map((sql) => [sql, this.#engine.writer.all(sql)] as const)
      answers.forEach(([, answer]) => void answer.catch(() => {}))
      this.#answers.set(transaction, new Map(answers))
    }
  }

  /** Throws for a transaction that has ended: its statement would be stored on its own. */
  requireOpen(transaction: Transaction): void {
    if (transaction !== this.#open) {
      throw new Error('The transaction of the statement has ended.')
    }
  }

  /** Runs a statement of a batch, which is a transaction of its own. One that is checked decides by the mirrors. */
  async statement<Rows>(
    store: () => Promise<Rows>,
    { isFollowedByCaller = false, isMirrored = true, isChecked }: StatementOptions,
  ): Promise<Rows> {
    const { writeLock, ofCommit } = this.#engine
    const rows = await (writeLock && !isChecked
      ? writeLock.storeAlone(store, isFollowedByCaller)
      : this.#exclusively(async () => {
          if (isMirrored) {
            await this.#watch?.setFollowedByCaller(isFollowedByCaller)
          }
          return store().catch((error: unknown) => {
            throw ofCommit(error)
          })
        }))
    if (isMirrored && !isFollowedByCaller) {
      await this.#follow()
    }
    return rows
  }

  /** The transaction is stored: its caller gets no error of a hook. */
  #runHooks(transaction: Transaction): void {
    for (const hook of this.after.of(transaction)) {
      try {
        hook()
      } catch (error) {
        this.#engine.log.error({ err: error }, 'What follows a stored write failed')
      }
    }
  }

  async #follow(): Promise<void> {
    if (this.#watch) {
      await this.#followers?.follow(await this.#watch.drain())
    }
  }
}
