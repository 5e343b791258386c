import sqlite3 from 'sqlite3'

/** What SQLite can be given for a placeholder. */
export type SqlValue = string | number | boolean | null | Buffer

export interface PreparedStatement {
  all<Row>(params: readonly SqlValue[]): Promise<Row[]>
  finalize(): Promise<void>
}

/** One SQLite connection with promises. Calls run one after another, in the order they were made. */
export interface Connection {
  /** The driver's object, for Sequelize. */
  readonly handle: sqlite3.Database
  /** Runs one or more statements without parameters. */
  exec(sql: string): Promise<void>
  all<Row>(sql: string, params?: readonly SqlValue[]): Promise<Row[]>
  prepare(sql: string): Promise<PreparedStatement>
  close(): Promise<void>
}

/**
 * Every connection says these itself: of them only the journal mode is remembered by the file.
 * FULL, because what somebody was told is stored must survive a power cut.
 */
const pragmas = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;'

/** How long a statement waits for a lock held by another program, such as somebody's SQLite shell. */
const busyTimeoutMs = 10_000

type Callback<T> = (error: Error | null, value: T) => void

const promised = <T>(call: (callback: Callback<T>) => unknown) =>
  new Promise<T>((resolve, reject) => call((error, value) => (error ? reject(error) : resolve(value))))

/** Opens an existing file. A `reader` refuses to write: whatever writes has to come through the write queue. */
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

/** A connection as SQLite makes it: no pragmas, so that the file may be empty and stays so. */
export async function openBare(file: string, waitForLockMs: number): Promise<Connection> {
  const handle = await new Promise<sqlite3.Database>((resolve, reject) => {
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
      promised<Row[]>((callback) => handle.all<Row>(sql, params, callback)),
    prepare: async (sql) => {
      const statement = await new Promise<sqlite3.Statement>((resolve, reject) => {
        const prepared = handle.prepare(sql, (error) => (error ? reject(error) : resolve(prepared)))
      })
      return {
        all: <Row>(params: readonly SqlValue[]) => promised<Row[]>((callback) => statement.all<Row>(params, callback)),
        finalize: () => new Promise((resolve) => statement.finalize(() => resolve())),
      }
    },
    close: () => promised<void>((callback) => handle.close((error) => callback(error))),
  }
}

/** SQLite's name for what went wrong ('SQLITE_FULL'), or undefined when the error is not SQLite's. */
export function sqliteCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return typeof code === 'string' && code.startsWith('SQLITE_') ? code : undefined
}
