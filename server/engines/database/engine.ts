import type { Sequelize, Transaction } from 'sequelize'
import type { Log } from '../../ground/log.ts'
import type { Store } from './before-commit.ts'
import type { WriteCheck } from './checked-writes.ts'
import type { Session, SqlValue } from './connection.ts'
import type { Batch, BatchOptions } from './group-commit.ts'
import type { FoundFolder } from './integrity.ts'
import type { Touched, WatchedTable } from './touched.ts'

export interface Database {
  readonly kind: 'sqlite' | 'postgres'
  /** Reads without a transaction see committed data and never wait for writers. Writes need `write`. */
  readonly sequelize: Sequelize
  /**
   * Runs `work` in the write transaction; a rejection rolls everything back. Resolves after its COMMIT, when the
   * mirrors are current.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /** Runs a short write before all that wait: for what others take for ended when it is late. */
  writeUrgent<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
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
   * Calls `hook` once the transaction is committed and the mirrors know it; never for one that is rolled back, or whose
   * COMMIT fails. Errors of the hook are logged.
   */
  afterCommit(transaction: Transaction, hook: () => void): void
  /**
   * Runs work whose writes call `check` as soon as they have the writer, when the mirrors know all earlier commits: an
   * error rolls back the write. Writes of what the work leaves running are not checked.
   */
  checkingWrites<T>(check: WriteCheck, work: () => Promise<T>): Promise<T>
  /** Runs writes that record what has happened already, whoever asked for it: they are not checked. */
  uncheckedWrites<T>(work: () => Promise<T>): Promise<T>
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
  /** Returns a reader of what a statement, which depends on nothing else of a transaction, finds at its begin. */
  atBegin<Row>(sql: string): (transaction: Transaction) => Promise<Row[]>
  /** Runs a statement in the open write transaction, outside the ORM, which takes several times as long. */
  allIn<Row>(transaction: Transaction, sql: string, params?: readonly SqlValue[]): Promise<Row[]>
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

/** Collects the keys that commits touch. */
export interface Watch {
  /** Sets whether the caller follows the next changes itself. Call outside a transaction. */
  setFollowedByCaller(isTrue: boolean): Promise<void>
  /** Takes the keys that commits have touched. */
  drain(): Promise<Touched>
  finalize(): Promise<void>
}

/**
 * Lock of a database server: a write stays on one connection, and is the only one of all servers. Statements that do not wait
 * for each other share a round trip, and one that fails fails its transaction.
 */
export interface WriteLock {
  /** Resolves when no other server writes, and the mirrors know their commits. */
  acquire(): Promise<void>
  /** Throws if the connection of the write was lost. */
  check(): void
  /** Throws if the database has answered the last COMMIT by rolling back. */
  checkCommit(): void
  /** Call outside a transaction; the COMMIT of a transaction releases the lock with it. */
  release(): void
  /** Stores a statement that decides by no mirror, sent by `store` at once: it shares its round trip with the lock. */
  storeAlone: <T>(store: () => Promise<T>, isFollowedByCaller: boolean) => Promise<T>
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
  log: Log
  /** Connection of the transactions. */
  writer: Session
  /** Its transactions use the connection of `writer`. */
  transactions: Sequelize
  /** Undefined for a file: this server alone writes, and keeps its connection. */
  writeLock?: WriteLock | undefined
  read<Row>(sql: string, params: readonly SqlValue[]): Promise<Row[]>
  watchTables(tables: readonly WatchedTable[], followers: Followers): Promise<Watch>
  /** Whether an error of a batch is caused by one item and leaves the others intact. */
  isOfItem(error: unknown): boolean
  /** Whether the database has undone a transaction because of others, so that it may be repeated. */
  isUndone(error: unknown): boolean
  /** The error of a COMMIT, or of a statement that is a transaction of its own: names an outcome that is unknown. */
  ofCommit(error: unknown): unknown
  /** Called with the error of a write. */
  failed(error: unknown): void
  checkpoint(): Promise<void>
  close(): Promise<void>
}
