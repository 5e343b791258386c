import { sqlite3, type Database, type Statement } from './driver.ts'

/** Values that SQLite accepts for a placeholder. */
export type SqlValue = string | number | boolean | null | Buffer

export interface PreparedStatement {
  all<Row>(params: readonly SqlValue[]): Promise<Row[]>
  finalize(): Promise<void>
}

/** A connection with promises. Calls run one at a time, in the order they were made. */
export interface Session {
  /** Runs one or more statements without parameters. */
  exec(sql: string): Promise<void>
  all<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
  prepare(sql: string): Promise<PreparedStatement>
}

/** A connection to a SQLite file. */
export interface Connection extends Session {
  /** The driver's object, for Sequelize. */
  readonly handle: Database
  close(): Promise<void>
}

/**
 * Set by every connection: the file stores the journal mode only. FULL, because a confirmed write must survive a power
 * cut.
 */
const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;'

/** Maximum wait for a lock held by another program, such as an SQLite shell. */
const busyTimeoutMs = 10_000

export type Callback<T> = (error: Error | null, value: T) => void

export const promised = <T>(call: (callback: Callback<T>) => unknown) =>
  new Promise<T>((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))))

/** Making the objects of more rows takes milliseconds. */
const manyRows = 200

/** Rows of a query. The caller continues in another event-loop iteration than the one that made many rows. */
async function rowsOf<Row>(read: (callback: Callback<Row[]>) => unknown): Promise<Row[]> {
  const rows = await promised(read)
  if (rows.length > manyRows) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  return rows
}

/** Opens an existing file. A `reader` cannot write: writes must go through the write queue. */
export async function openConnection(file: string, role: 'reader' | 'writer'): Promise<Connection> {
  const connection = await openBare(file, busyTimeoutMs)
  try {
    await connection.exec(role === 'reader' ? `${pragmas} PRAGMA query_only = ON;` : pragmas)
  } catch (error) {
    await connection.close()
    throw error
  }
  return connection
}

/** Opens a connection without pragmas, so that an empty file stays empty. */
export async function openBare(file: string, waitForLockMs: number): Promise<Connection> {
  const handle = await new Promise<Database>((resolve, reject) => {
    const opened = new sqlite3.Database(file, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(error) : resolve(opened),
    )
  })
  handle.configure('busyTimeout', waitForLockMs)
  // Without this, calls that wait for the same connection would each block one of libuv's few threads.
  handle.serialize()
  return {
    handle,
    exec: (sql) => promised<void>((callback) => handle.exec(sql, (error) => callback(error))),
    all: <Row>(sql: string, params: readonly SqlValue[] = []) =>
      rowsOf<Row>((callback) => handle.all<Row>(sql, params, callback)),
    prepare: async (sql) => {
      const statement = await new Promise<Statement>((resolve, reject) => {
        const prepared = handle.prepare(sql, (error) => (error ? reject(error) : resolve(prepared)))
      })
      return {
        all: <Row>(params: readonly SqlValue[]) => rowsOf<Row>((callback) => statement.all<Row>(params, callback)),
        finalize: () => new Promise((resolve) => statement.finalize(() => resolve())),
      }
    },
    close: () => promised<void>((callback) => handle.close((error) => callback(error))),
  }
}

/** SQLite's error code ('SQLITE_FULL'); undefined for other errors. */
export function sqliteCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined
}
