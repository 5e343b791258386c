import { Transaction, type Sequelize } from 'sequelize'
import { BeforeCommit, type Store } from './before-commit.ts'
import type { Session, SqlValue } from './connection.ts'
import { createBatch, type Batch, type BatchOptions } from './group-commit.ts'
import type { FoundFolder } from './integrity.ts'
import { SharedWrites } from './shared-writes.ts'
import type { Touched, WatchedTable } from './touched.ts'
import type { WriteQueue } from './write-queue.ts'

export interface Database {
  readonly kind: 'sqlite' | 'postgres'
  /** Reads without a transaction see committed data and never wait for writers. Writes need `write`. */
  readonly sequelize: Sequelize
  /**
   * Runs `work` in the write transaction; a rejection rolls everything back. Resolves after its COMMIT, when the
   * mirrors are current.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Runs a frequent write: those that wait share a transaction and its flush to disk. A rejection rolls back the
   * work alone. The work decides by what it reads in the transaction: the mirrors do not know the writes before it.
   */
  writeShared<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Stores items before the commit of a transaction, those of all its writes together. Items of a shared write that is
   * rolled back are dropped.
   */
  storeBeforeCommit<Item>(transaction: Transaction, store: Store<Item>, items: readonly Item[]): void
  /**
   * Calls `follow` with the touched keys of each later commit, and `reload` after commits whose keys are unknown. All
   * further writes wait until it resolves. Call once.
   */
  watch(
    tables: readonly WatchedTable[],
    follow: (touched: Touched) => Promise<void>,
    reload: () => Promise<void>,
  ): Promise<void>
  /**
   * A statement outside the ORM whose runs are committed together, for frequent reports of many devices. Equal options
   * share a batch.
   */
  batch<Item>(options: BatchOptions<Item>): Batch<Item>
  /** Rows as plain objects, outside the ORM, on a separate connection. */
  all<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
  /** Moves the write-ahead log into the database file, as far as readers permit. */
  checkpoint(): Promise<void>
  /** Call once `identityQuery` returns a row: from then on a start without a row fails. */
  noteIdentity(): Promise<void>
  /** State of the folder before this start. */
  readonly found: FoundFolder
  /** Damage of the file that was found since the start; from then on nothing is written, so that it grows no worse. */
  damage(): string | undefined
  /** Reads and checks the whole file beside other work. Returns the damage, undefined if there is none. */
  checkIntegrity(): Promise<string | undefined>
  size(): Promise<StoredSize>
  /** Copies the committed data of one moment into a new SQLite file, while the server writes. */
  copyTo(file: string): Promise<void>
  /** Resolves when the mirrors know all commits before this call; at once where this server alone writes. */
  catchUp(): Promise<void>
  /** False while commits of other servers that are a second old may be missing in the mirrors, which then decide nothing. */
  isCurrent(): boolean
  /** Resolves when the mirrors are current; rejects after `timeoutMs`. */
  whenCurrent(timeoutMs: number): Promise<void>
  /** Waits for the requested writes, then closes the database and unlocks the folder. */
  close(): Promise<void>
}

/** Kind of the storage, and its size. */
export type StoredSize =
  | { kind: 'file'; bytes: number; logBytes: number }
  | {
      kind: 'postgres'
      bytes: number
      version: string
      place: string
      connections: number
      mostConnections: number
      lagMs: number
    }

/** Follows the writes of a database. */
export interface WriteObserver {
  /** Runs a transaction, which calls `begun` when it gets the writer. */
  write<T>(work: (begun: () => void) => Promise<T>): Promise<T>
  /** Called after a batch was stored. */
  batch(seconds: number): void
}

/** Collects the keys that commits touch. */
interface Watch {
  /** Sets whether the caller follows the next changes itself. Call outside a transaction. */
  setFollowedByCaller(isTrue: boolean): Promise<void>
  /** Takes the keys that commits have touched. */
  drain(): Promise<Touched>
  finalize(): Promise<void>
}

/** Lock of a database that several servers write. */
export interface WriteLock {
  /** Resolves when no other server writes, and the mirrors know their commits. */
  acquire(): Promise<void>
  /** Throws if the connection with the lock was lost. */
  check(): void
  /** Call outside a transaction. */
  release(): void
}

/** Functions that keep the mirrors current. */
export interface Followers {
  follow(touched: Touched): Promise<void>
  /** Reads everything again, after changes whose keys are unknown. */
  reload(): Promise<void>
}

/** Differences between a SQLite file and PostgreSQL. */
export interface Engine extends Pick<
  Database,
  | 'kind'
  | 'sequelize'
  | 'noteIdentity'
  | 'found'
  | 'damage'
  | 'checkIntegrity'
  | 'size'
  | 'copyTo'
  | 'catchUp'
  | 'isCurrent'
  | 'whenCurrent'
> {
  /** Connection of the transactions. */
  writer: Session
  /** Its transactions use the connection of `writer`. */
  transactions: Sequelize
  /** Undefined where this server alone writes. */
  writeLock?: WriteLock | undefined
  read<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>
  watchTables(tables: readonly WatchedTable[], followers: Followers): Promise<Watch>
  /** Whether an error of a batch is caused by one item and leaves the others intact. */
  isOfItem(error: unknown): boolean
  /** The error of a COMMIT, or of a statement that is a transaction of its own: names an outcome that is unknown. */
  ofCommit(error: unknown): unknown
  /** Called with the error of a write. */
  failed(error: unknown): void
  checkpoint(): Promise<void>
  close(): Promise<void>
}

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

async function storeTransaction<T>(
  { transactions, writer, writeLock, ofCommit }: Engine,
  beforeCommit: BeforeCommit,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  let isCommitting = false
  try {
    return await transactions.transaction({ type: Transaction.TYPES.IMMEDIATE }, async (transaction) => {
      // The connection of the transaction may be newer than the lock.
      writeLock?.check()
      const result = await work(transaction)
      await beforeCommit.store(transaction)
      isCommitting = true
      return result
    })
  } catch (error) {
    // When COMMIT itself fails, Sequelize leaves the transaction open; usually there is none.
    await writer.exec('ROLLBACK').catch(() => {})
    throw isCommitting ? ofCommit(error) : error
  }
}

/** Combines the parts of an engine. `cleanup` runs when the database is closed. */
export function assemble(
  engine: Engine,
  queue: WriteQueue,
  observer: WriteObserver | undefined,
  cleanup: AsyncDisposableStack,
): Database {
  const { writer, sequelize, writeLock } = engine
  const exclusively = lockedBy(writeLock)
  /** Undefined until `watch` is called. */
  let watch: Watch | undefined
  let follow = async (_touched: Touched) => {}
  let closing: Promise<void> | undefined
  const batches = new Map<object, object>()
  const beforeCommit = new BeforeCommit()
  const followCommits = async () => {
    if (watch) {
      await follow(await watch.drain())
    }
  }
  /** Runs a transaction when the write queue reaches it. Its work decides by mirrors that know all earlier commits. */
  const transact = async <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> => {
    try {
      const result = await exclusively(async () => {
        await watch?.setFollowedByCaller(false)
        return storeTransaction(engine, beforeCommit, work)
      })
      await followCommits()
      return result
    } catch (error) {
      engine.failed(error)
      throw error
    }
  }
  const shared = new SharedWrites(writer, queue, transact, beforeCommit)

  const database: Database = {
    kind: engine.kind,
    sequelize,
    async write(work) {
      queue.admit()
      return queue.enqueue(() => transact(work))
    },
    writeShared: (work) => shared.run(work),
    storeBeforeCommit: (transaction, store, items) => beforeCommit.add(transaction, store, items),
    async watch(tables, followCommit, reload) {
      watch = await queue.enqueue(() => exclusively(() => engine.watchTables(tables, { follow: followCommit, reload })))
      cleanup.defer(watch.finalize)
      follow = followCommit
    },
    batch<Item>(options: BatchOptions<Item>) {
      const known = batches.get(options)
      if (known) {
        return known as Batch<Item>
      }
      const { isFollowedByCaller = false, isMirrored = true } = options
      const batch = createBatch(writer, queue, options, {
        async commit(store) {
          const begunAt = performance.now()
          const rows = await exclusively(async () => {
            if (isMirrored) {
              await watch?.setFollowedByCaller(isFollowedByCaller)
            }
            return store().catch((error: unknown) => {
              throw engine.ofCommit(error)
            })
          })
          if (isMirrored && !isFollowedByCaller) {
            await followCommits()
          }
          observer?.batch((performance.now() - begunAt) / 1000)
          return rows
        },
        isOfItem: engine.isOfItem,
        failed: engine.failed,
      })
      cleanup.defer(() => batch.finalize())
      batches.set(options, batch)
      return batch
    },
    all: (sql, params = []) => engine.read(sql, params),
    checkpoint() {
      queue.admit()
      return queue.enqueue(() => engine.checkpoint())
    },
    noteIdentity: () => engine.noteIdentity(),
    found: engine.found,
    damage: () => engine.damage(),
    checkIntegrity: () => engine.checkIntegrity(),
    size: () => engine.size(),
    copyTo: (file) => engine.copyTo(file),
    catchUp: () => engine.catchUp(),
    isCurrent: () => engine.isCurrent(),
    whenCurrent: (timeoutMs) => engine.whenCurrent(timeoutMs),
    close: () => (closing ??= queue.close().then(() => engine.close())),
  }
  return observer ? followed(database, observer) : database
}

/** A database whose transactions an observer follows. */
function followed(database: Database, observer: WriteObserver): Database {
  type Write = Database['write']
  const follow =
    (write: Write): Write =>
    (work) =>
      observer.write((begun) =>
        write((transaction) => {
          begun()
          return work(transaction)
        }),
      )
  return {
    ...database,
    write: follow((work) => database.write(work)),
    writeShared: follow((work) => database.writeShared(work)),
  }
}
