import type sqlite3 from 'sqlite3'
import { promised, type Callback, type Connection, type SqlValue } from './connection.ts'

type Parameters = readonly unknown[] | Record<string, unknown>

/** Statements with parameters that are kept; an unusual one, such as a list of ids, replaces the oldest. */
const maxStatements = 200

/** Statements without parameters that are kept. */
const unbound = /^(BEGIN|COMMIT|ROLLBACK)\b/

/**
 * A connection that keeps its statements, for Sequelize and for statements without it. Sequelize would prepare each
 * statement again, read the columns of a table before each SELECT, and write a stack trace for each statement: half of a
 * write's time (decision 0121).
 */
export class LentConnection {
  readonly #handle: sqlite3.Database
  readonly #statements = new Map<string, Promise<sqlite3.Statement>>()
  /** Columns of each table, which only migrations change. */
  readonly #columns = new Map<string, Promise<unknown[]>>()

  constructor({ handle }: Connection) {
    this.#handle = handle
  }

  /** Runs the begin of a statement, which makes the Error that Sequelize writes out even without an error. */
  serialize(begin: () => void): void {
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    try {
      begin()
    } finally {
      Error.stackTraceLimit = limit
    }
  }

  all(sql: string, parameters: Parameters | Callback<unknown[]>, callback?: Callback<unknown[]>): void {
    if (typeof parameters === 'function') {
      void this.#columnsOf(sql, parameters)
    } else if (callback) {
      this.#run('all', sql, parameters, callback)
    }
  }

  run(sql: string, parameters: Parameters, callback: Callback<unknown[]>): void {
    this.#run('run', sql, parameters, callback)
  }

  /** Runs a statement without Sequelize. The values stand in the order of the parameters. */
  async rows<Row>(sql: string, values: readonly SqlValue[]): Promise<Row[]> {
    const statement = await this.#prepare(sql)
    return promised<Row[]>((done) => statement.all<Row>(values, done))
  }

  /** Finalizes the statements, without which the connection does not close. */
  async finalize(): Promise<void> {
    for (const statement of this.#statements.values()) {
      await finalize(statement)
    }
  }

  /** Reads the columns of a table, the only statement that Sequelize runs without parameters. */
  async #columnsOf(sql: string, callback: Callback<unknown[]>): Promise<void> {
    const columns = this.#columns.get(sql) ?? promised<unknown[]>((done) => this.#handle.all(sql, done))
    this.#columns.set(sql, columns)
    let rows: unknown[]
    try {
      rows = await columns
    } catch (error) {
      callback(error as Error, [])
      return
    }
    callback(null, rows)
  }

  async #runKept(method: 'all' | 'run', sql: string, parameters: Parameters, callback: Callback<unknown[]>) {
    let statement: sqlite3.Statement
    try {
      statement = await this.#prepare(sql)
    } catch (error) {
      callback(error as Error, [])
      return
    }
    // The callback gets the statement as `this`.
    statement[method](parameters, callback)
  }

  #run(method: 'all' | 'run', sql: string, parameters: Parameters, callback: Callback<unknown[]>): void {
    if (Object.keys(parameters).length > 0 || unbound.test(sql)) {
      void this.#runKept(method, sql, parameters, callback)
    } else {
      this.#handle[method](sql, parameters, callback)
    }
  }

  #prepare(sql: string): Promise<sqlite3.Statement> {
    const known = this.#statements.get(sql)
    if (known) {
      return known
    }
    const prepared = new Promise<sqlite3.Statement>((resolve, reject) => {
      const statement = this.#handle.prepare(sql, (error) => {
        if (error) {
          this.#statements.delete(sql)
          reject(error)
        } else {
          resolve(statement)
        }
      })
    })
    this.#statements.set(sql, prepared)
    const [oldest] = this.#statements
    if (oldest && this.#statements.size > maxStatements) {
      this.#statements.delete(oldest[0])
      void finalize(oldest[1])
    }
    return prepared
  }
}

async function finalize(prepared: Promise<sqlite3.Statement>): Promise<void> {
  const statement = await prepared.catch(() => undefined)
  await new Promise<void>((resolve) => (statement ? statement.finalize(() => resolve()) : resolve()))
}
