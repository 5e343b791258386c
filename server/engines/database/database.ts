import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Sequelize } from 'sequelize'
import { openConnection, sqliteCode, type Callback, type Connection } from './connection.ts'
import { copyDatabaseFile, describeCopies } from './copies.ts'
import { closeToOthers, createFolder, createPrivateFile, lockFolder, pathsIn, sizeOf, type Paths } from './folder.ts'
import { assemble, type WriteObserver } from './assemble.ts'
import type { Database, Engine } from './engine.ts'
import type { Batch, BatchOptions } from './group-commit.ts'
import { addIdentity, hadIdentity, writeMarker } from './folder-marker.ts'
import { check, Damage, isLogMissing, type FoundFolder } from './integrity.ts'
import { hasSchema, migrate, type Migration } from './migrate.ts'
import { moveIdleLogIntoFile, pairLog, refuseForeignLog } from './log-owner.ts'
import { watchTables, type Touched } from './touched.ts'
import type { DatabaseOptions } from './options.ts'
import { WriteQueue } from './write-queue.ts'
import { codeOf } from '../../ground/errors.ts'
import type { Log } from '../../ground/log.ts'
import { DataError, StartError } from '../../ground/start-error.ts'
import { sqlite3 } from './driver.ts'

type Role = 'reader' | 'writer'

type Columns = ReadonlyMap<string, readonly unknown[]>

/**
 * Columns of all tables, by the statement that asks for those of one. Sequelize runs it before each query of the table,
 * although migrations run before Sequelize is made.
 */
async function readColumns(connection: Connection): Promise<Columns> {
  const rows = await connection.all<{ tableName: string }>(
    "SELECT t.name AS tableName, c.name, c.type FROM sqlite_schema AS t, pragma_table_info(t.name) AS c WHERE t.type = 'table'",
  )
  return Map.groupBy(rows, ({ tableName }) => `PRAGMA table_info(\`${tableName}\`)`)
}

/**
 * The driver of one Sequelize, which opens nothing: it lends the connection that this server has opened. A writer lends
 * it to one transaction after another; a reader lends it once, to all queries without a transaction.
 */
function driverOf({ handle }: Connection, role: Role, columns: Columns) {
  const lent = {
    serialize: (begin: () => void) => begin(),
    all(sql: string, ...args: [...params: unknown[], done: Callback<unknown>]) {
      const known = columns.get(sql)
      if (known) {
        const done = args.at(-1) as Callback<unknown>
        done(null, known)
      } else {
        handle.all(sql, ...args)
      }
    },
    run: handle.run.bind(handle),
    close() {},
  }
  const transactionOfReader = new Error('Start transactions with database.write(), not with sequelize.transaction()')
  let isLent = false
  function Database(_file: string, _mode: number, opened: (error: Error | null) => void) {
    setImmediate(opened, isLent && role === 'reader' ? transactionOfReader : null)
    isLent = true
    return lent
  }
  return { ...sqlite3, Database }
}

/**
 * Sequelize on a connection with our pragmas and triggers. It has no pool for SQLite: by default it would open and close
 * a connection for each transaction.
 */
async function createOrm(connection: Connection, storage: string, role: Role, columns: Columns): Promise<Sequelize> {
  const dialectOptions = { mode: sqlite3.OPEN_READWRITE }
  const dialectModule = driverOf(connection, role, columns)
  // Our connections enforce foreign keys; Sequelize would set that again for each transaction.
  const options = { dialectOptions, storage, logging: false, foreignKeys: false }
  const sequelize = new Sequelize({ dialect: 'sqlite', dialectModule, ...options })
  await sequelize.authenticate()
  return sequelize
}

export type { Batch, BatchOptions, Database, DatabaseOptions, Migration, Touched, WriteObserver }

/** After an update or a restart, the previous server may still be shutting down, which takes at most 8 s. */
const usualFolderWaitMs = 15_000

/** Opens the database of a data folder and updates its schema. Throws StartError if a person has to act. */
export async function openDatabase({
  postgres,
  folderWaitMs = usualFolderWaitMs,
  ...options
}: DatabaseOptions): Promise<Database> {
  if (!postgres) {
    return openFile({ ...options, folderWaitMs })
  }
  // Servers with a file do not load the driver.
  const { openPostgres } = await import('./postgres/open.ts')
  return openPostgres({ ...options, postgres, folderWaitMs })
}

async function openFile(options: DatabaseOptions & { folderWaitMs: number }): Promise<Database> {
  const directory = resolve(options.directory)
  const paths = pathsIn(directory)
  // Closed in reverse order when opening fails, and on close.
  const cleanup = new AsyncDisposableStack()
  try {
    await createFolder(directory)
    const lock = await lockFolder(directory, options.log, options.folderWaitMs)
    cleanup.defer(() => lock.unlock())
    await closeToOthers(directory, options.log)
    const isInstalled = (await sizeOf(paths.marker)) > 0
    if (existsSync(paths.postgres) && (await sizeOf(paths.database)) === 0) {
      const place = (await readFile(paths.postgres, 'utf8')).trim()
      throw new StartError(
        `${place} Name that database in the settings: Service_POSTGRES_HOST and the variables beside it.`,
      )
    }
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
      await writeMarker(paths)
    }
    const reader = await openConnection(paths.database, 'reader')
    cleanup.defer(() => reader.close())
    const ormReader = await openConnection(paths.database, 'reader')
    cleanup.defer(() => ormReader.close())
    const { observer, log } = options
    const columns = await readColumns(reader)
    const sequelize = await createOrm(ormReader, paths.database, 'reader', columns)
    const transactions = await createOrm(writer, paths.database, 'writer', columns)
    return assembleFile(paths, { log, writer, reader, sequelize, transactions, observer, found }, cleanup)
  } catch (error) {
    await cleanup.disposeAsync()
    throw await explain(error, paths)
  }
}

/**
 * Afterwards the database file alone holds everything, so that a lost or damaged write-ahead log loses no earlier data.
 */
const moveLogIntoFile = 'PRAGMA wal_checkpoint(TRUNCATE)'

interface Connections {
  log: Log
  writer: Connection
  reader: Connection
  /** Its models read; in a transaction of `transactions` they write. */
  sequelize: Sequelize
  transactions: Sequelize
  observer: WriteObserver | undefined
  found: FoundFolder
}

/** Combines the connections to an opened file. */
function assembleFile(paths: Paths, opened: Connections, cleanup: AsyncDisposableStack): Database {
  const { log, writer, reader, sequelize, transactions, observer, found } = opened
  const queue = new WriteQueue()
  const damage = new Damage(paths, (error) => queue.refuse(error))
  const engine: Engine = {
    kind: 'sqlite',
    log,
    writer,
    sequelize,
    transactions,
    watchTables: (tables) => watchTables(writer, tables),
    isOfItem: (error) => itemFailures.has(codeOf(error) ?? ''),
    isUndone: () => false,
    ofCommit: (error) => error,
    failed: (error) => damage.note(error),
    read: (sql, params) => damage.watch(reader.all<never>(sql, params)),
    checkpoint: () => moveIdleLogIntoFile(writer, paths),
    async noteIdentity() {
      if (!(await hadIdentity(paths))) {
        await queue.enqueue(() => moveIdleLogIntoFile(writer, paths))
        await addIdentity(paths)
      }
    },
    found,
    damage: () => damage.found,
    checkIntegrity: () => damage.check(),
    size: () => sizesOf(paths),
    copyTo: (file) => copyDatabaseFile(paths.database, file),
    async catchUp() {},
    isCurrent: () => true,
    async whenCurrent() {},
    close: () => closeFile(writer, damage, cleanup),
  }
  return assemble(engine, queue, observer, cleanup)
}

/** Errors caused by one item of a batch, which leave the others intact. */
const itemFailures = new Set(['SQLITE_CONSTRAINT', 'SQLITE_MISMATCH', 'SQLITE_ERROR', 'SQLITE_TOOBIG'])

const sizesOf = async ({ database }: Paths) => ({
  kind: 'file' as const,
  bytes: await sizeOf(database),
  logBytes: await sizeOf(`${database}-wal`),
})

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
