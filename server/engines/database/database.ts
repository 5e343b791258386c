import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Transaction, type Sequelize } from 'sequelize'
import { openConnection, sqliteCode, type Connection, type SqlValue } from './connection.ts'
import { describeCopies } from './copies.ts'
import { closeToOthers, createFolder, createPrivateFile, lockFolder, pathsIn, sizeOf, type Paths } from './folder.ts'
import { createBatch, type Batch, type BatchOptions } from './group-commit.ts'
import { check, Damage, isLogMissing, type FoundFolder } from './integrity.ts'
import { hasSchema, migrate, type Migration } from './migrate.ts'
import { moveIdleLogIntoFile, pairLog, refuseForeignLog } from './log-owner.ts'
import { createOrm } from './orm.ts'
import { SharedWrites } from './shared-writes.ts'
import { watchTables, type Touched, type WatchedTable } from './touched.ts'
import { WriteQueue } from './write-queue.ts'
import type { Log } from '../../ground/log.ts'
import { DataError, StartError } from '../../ground/start-error.ts'

export type { Batch, BatchOptions, Migration, Touched }

export interface Database {
  /** Reads without a transaction see committed data and never wait for writers. Writes need `write`. */
  readonly sequelize: Sequelize
  /**
   * Runs `work` in the write transaction; a rejection rolls everything back. Resolves after its COMMIT, when the
   * mirrors are current.
   */
  write<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * The same for frequent writes: those that wait share a transaction and its flush to disk. A rejection rolls back the
   * work alone. The work decides by what it reads in the transaction: the mirrors do not know the writes before it.
   */
  writeShared<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  /**
   * Calls `follow` with the touched keys of each later commit. All further writes wait until it resolves. Call once.
   */
  watch(tables: readonly WatchedTable[], follow: (touched: Touched) => Promise<void>): Promise<void>
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
  /** Waits for the requested writes, then closes the database and unlocks the folder. */
  close(): Promise<void>
}

/** Follows the writes of a database. */
export interface WriteObserver {
  /** Runs a transaction, which calls `begun` when it gets the writer. */
  write<T>(work: (begun: () => void) => Promise<T>): Promise<T>
  /** Called after a batch was stored. */
  batch(seconds: number): void
}

export interface DatabaseOptions {
  directory: string
  migrations: readonly Migration[]
  /** Statements that make the tables of a new database; without them, its migrations run. */
  schema?: readonly string[]
  appVersion: string
  log: Log
  /** Returns a row if the database holds the identity of this server. */
  identityQuery?: string
  observer?: WriteObserver | undefined
  /** Maximum wait for another process to unlock the folder; 15 s by default. */
  folderWaitMs?: number
}

/** After an update or a restart, the previous server may still be shutting down, which takes at most 8 s. */
const usualFolderWaitMs = 15_000

/** Opens the database of a data folder and updates its schema. Throws StartError if a person has to act. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const directory = resolve(options.directory)
  const paths = pathsIn(directory)
  // Closed in reverse order when opening fails, and on close.
  const cleanup = new AsyncDisposableStack()
  try {
    await createFolder(directory)
    const lock = await lockFolder(directory, options.log, options.folderWaitMs ?? usualFolderWaitMs)
    cleanup.defer(() => lock.unlock())
    await closeToOthers(directory, options.log)
    const isInstalled = (await sizeOf(paths.marker)) > 0
    if (isInstalled && (await sizeOf(paths.database)) === 0) {
      throw await lostData(directory, paths, 'is missing or empty')
    }
    const found = { wasUnclean: lock.wasUnclean, isLogMissing: await isLogMissing(paths) }
    await refuseForeignLog(paths)
    await createPrivateFile(paths.database)
    const writer = await openConnection(paths.database, 'writer')
    cleanup.defer(() => writer.close())
    await check(writer, found.wasUnclean ? 'full' : 'quick')
    if (isInstalled && !(await hasSchema(writer))) {
      throw await lostData(directory, paths, 'contains no data')
    }
    await migrate(writer, { ...options, copiesFolder: paths.copies })
    await pairLog(writer, paths).catch((error: unknown) => {
      // The write-ahead log holds newer data, and SQLite reads both.
      options.log.warn({ err: error }, `The write-ahead log cannot be moved into ${paths.database}: check its disk`)
    })
    const { identityQuery } = options
    if (isInstalled && identityQuery && (await hadIdentity(paths)) && (await writer.all(identityQuery)).length === 0) {
      throw await lostData(directory, paths, 'does not contain the identity of this server')
    }
    if (!isInstalled) {
      await writeFile(paths.marker, markerText, { mode: 0o600 })
    }
    const reader = await openConnection(paths.database, 'reader')
    cleanup.defer(() => reader.close())
    const ormReader = await openConnection(paths.database, 'reader')
    cleanup.defer(() => ormReader.close())
    const { observer } = options
    const sequelize = await createOrm(ormReader, paths.database, 'reader')
    const transactions = await createOrm(writer, paths.database, 'writer')
    const database = assemble(paths, { writer, reader, sequelize, transactions, observer, found }, cleanup)
    return observer ? followed(database, observer) : database
  } catch (error) {
    await cleanup.disposeAsync()
    throw await explain(error, paths)
  }
}

/**
 * Afterwards the database file alone holds everything, so that a lost or damaged write-ahead log loses no earlier data.
 */
const moveLogIntoFile = 'PRAGMA wal_checkpoint(TRUNCATE)'

const markerText = `Farhand keeps its data in this folder. This file says that farhand.db belongs here.
If the database is ever missing, Farhand asks for it instead of starting empty.
`
const identityLine = 'The database holds the identity of this server.'

const hadIdentity = async ({ marker }: Paths) => (await readFile(marker, 'utf8')).includes(identityLine)

interface Connections {
  writer: Connection
  reader: Connection
  /** Its models read; in a transaction of `transactions` they write. */
  sequelize: Sequelize
  transactions: Sequelize
  observer: WriteObserver | undefined
  found: FoundFolder
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

function assemble(paths: Paths, opened: Connections, cleanup: AsyncDisposableStack): Database {
  const { writer, reader, sequelize, transactions, observer, found } = opened
  const queue = new WriteQueue()
  const damage = new Damage(paths, (error) => queue.refuse(error))
  /** Undefined until `watch` is called. */
  let watch: Awaited<ReturnType<typeof watchTables>> | undefined
  let follow = async (_touched: Touched) => {}
  let closing: Promise<void> | undefined
  const batches = new Map<object, object>()
  /** Runs a transaction when the write queue reaches it. */
  const transact = async <T>(work: (transaction: Transaction) => Promise<T>): Promise<T> => {
    await watch?.setFollowedByCaller(false)
    try {
      const { result, touched } = await transactions.transaction(
        { type: Transaction.TYPES.IMMEDIATE },
        async (transaction) => ({ result: await work(transaction), touched: await watch?.drain() }),
      )
      if (touched) {
        await follow(touched)
      }
      return result
    } catch (error) {
      // When COMMIT itself fails, Sequelize leaves the transaction open; usually there is none.
      await writer.exec('ROLLBACK').catch(() => {})
      damage.note(error)
      throw error
    }
  }
  const shared = new SharedWrites(writer, queue, transact)

  return {
    sequelize,
    async write(work) {
      queue.admit()
      return queue.enqueue(() => transact(work))
    },
    writeShared: (work) => shared.run(work),
    async watch(tables, followCommit) {
      watch = await watchTables(writer, tables)
      cleanup.defer(watch.finalize)
      follow = followCommit
    },
    batch<Item>(options: BatchOptions<Item>) {
      const known = batches.get(options)
      if (known) {
        return known as Batch<Item>
      }
      const isFollowedByCaller = options.isFollowedByCaller === true
      let begunAt = 0
      const batch = createBatch(writer, queue, options, {
        async before() {
          begunAt = performance.now()
          await watch?.setFollowedByCaller(isFollowedByCaller)
        },
        async after() {
          if (watch && !isFollowedByCaller) {
            await follow(await watch.drain())
          }
          observer?.batch((performance.now() - begunAt) / 1000)
        },
        failed: (error) => damage.note(error),
      })
      cleanup.defer(() => batch.finalize())
      batches.set(options, batch)
      return batch
    },
    all: (sql, params = []) => damage.watch(reader.all<never>(sql, params)),
    checkpoint() {
      queue.admit()
      return queue.enqueue(() => moveIdleLogIntoFile(writer, paths))
    },
    async noteIdentity() {
      if (!(await hadIdentity(paths))) {
        await this.checkpoint()
        await appendFile(paths.marker, `${identityLine}\n`)
      }
    },
    found,
    damage: () => damage.found,
    checkIntegrity: () => damage.check(),
    close: () => (closing ??= queue.close().then(() => closeFile(writer, damage, cleanup))),
  }
}

async function closeFile(writer: Connection, damage: Damage, cleanup: AsyncDisposableStack): Promise<void> {
  try {
    // Closing the last connection would do the same, but another program may have the file open too.
    if (damage.found === undefined) {
      await writer.exec(moveLogIntoFile)
    }
  } finally {
    await cleanup.disposeAsync()
  }
}

/** Error of a start without the data of an installation: no new identity replaces the lost one (T38). */
async function lostData(directory: string, { database, copies, marker }: Paths, problem: string): Promise<StartError> {
  return new DataError(
    `The data folder ${directory} was set up by Farhand, but its database ${database} ${problem}. ` +
      `Put it back. ${await describeCopies(copies)} To start from nothing, choose an empty folder or delete ${marker}.`,
  )
}

async function explain(error: unknown, { database, copies }: Paths): Promise<unknown> {
  // An error without a code is neither from the system nor from SQLite: a bug, not a state of this machine.
  if (!(error instanceof Error) || !('code' in error)) {
    return error
  }
  const code = sqliteCode(error)
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') {
    return new DataError(
      `The database ${database} is damaged (${error.message}). Move it aside together with ${database}-wal and ` +
        `${database}-shm, and put a copy in its place. ${await describeCopies(copies)}`,
      { cause: error },
    )
  }
  if (code === 'SQLITE_FULL' || error.code === 'ENOSPC') {
    return new StartError(
      `The disk of the database ${database} is full, so the server cannot start. Make room on that disk and start again; ` +
        'nothing was changed.',
      { cause: error },
    )
  }
  return new StartError(
    `The database ${database} cannot be opened (${error.message}). Check that the folder exists, is writable for the ` +
      'user that runs Farhand, and that its disk has room.',
    { cause: error },
  )
}
