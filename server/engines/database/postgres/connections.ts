import pg, { type Client, type ClientConfig } from 'pg'
import { Sequelize } from 'sequelize'
import type { PreparedStatement, Session, SqlValue } from '../connection.ts'
import type { PostgresPlace } from '../options.ts'
import { isLost, lost, withState } from './failures.ts'
import { statementOf, valueFor, wording } from './wording.ts'

/** Schema of the product, so that other programs may share the database. */
export const schemaName = 'farhand'

/**
 * Settings of every session. A dead peer is noticed within a minute: the server of a lost connection holds the lock of the
 * database until then.
 */
const sessionSettings = {
  search_path: `${schemaName},pg_catalog`,
  lock_timeout: '10s',
  statement_timeout: '60s',
  idle_in_transaction_session_timeout: '5min',
  tcp_keepalives_idle: '20',
  tcp_keepalives_interval: '10',
  tcp_keepalives_count: '4',
  timezone: 'UTC',
  // Compiling a plan takes up to seconds, longer than any statement.
  jit: 'off',
  // Indexes are in memory or on an SSD. The default, for rotating disks, prefers whole scans of large tables.
  random_page_cost: '1.1',
}

/** Ids of PostgreSQL's types. */
const types = { boolean: 16, bigint: 20, json: 114, numeric: 1700, jsonb: 3802 } as const

type Read = (text: string) => unknown

const text: Read = (value) => value
/** Numbers and JSON as SQLite returns them. */
const readers: Readonly<Record<number, Read>> = {
  [types.bigint]: Number,
  [types.numeric]: Number,
  [types.json]: text,
  [types.jsonb]: text,
}
/** Rows outside the ORM have truth values as numbers, as in SQLite. */
const readersOfRows: Readonly<Record<number, Read>> = {
  ...readers,
  [types.boolean]: (value) => (value === 't' ? 1 : 0),
}

const parsersWith = (own: Readonly<Record<number, Read>>): pg.CustomTypesConfig => ({
  getTypeParser: ((id: number, format?: 'text') =>
    own[id] ?? pg.types.getTypeParser(id, format)) as pg.CustomTypesConfig['getTypeParser'],
})
const typesOfRows = parsersWith(readersOfRows)

const connectMs = 10_000
/** Time without an answer after which a connection is given up; a statement has less. */
const silentMs = 70_000

const settingsText = (more: Readonly<Record<string, string>>) =>
  Object.entries({ ...sessionSettings, ...more })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

const readOnly = { default_transaction_read_only: 'on' }

export const configOf = (place: PostgresPlace, settings: Readonly<Record<string, string>> = {}): ClientConfig => ({
  host: place.host,
  port: place.port,
  user: place.user,
  ...(place.password !== undefined && { password: place.password }),
  database: place.name,
  ssl: place.tls === false ? false : { ...(place.tls.ca !== undefined && { ca: place.tls.ca }) },
  application_name: 'Farhand',
  connectionTimeoutMillis: connectMs,
  keepAlive: true,
  options: settingsText(settings),
  types: typesOfRows,
})

/** Connections that only read. */
export interface Readers extends Pick<Session, 'all'> {
  close(): Promise<void>
}

/** Opens connections for reads outside the ORM. */
export function createReaders(place: PostgresPlace, onError: (error: Error) => void): Readers {
  const pool = new pg.Pool({ ...configOf(place, readOnly), query_timeout: silentMs, max: 4, idleTimeoutMillis: 0 })
  // A connection that ends while idle is replaced by the pool; without a listener the error would end the process.
  pool.on('error', onError)
  return {
    async all<Row>(sql: string, params: readonly SqlValue[] = []) {
      const read = async (): Promise<Row[]> => {
        try {
          return (await pool.query<Row & object>(statementOf(sql, params))).rows
        } catch (error) {
          throw withState(error)
        }
      }
      // A read may be repeated; after a restart of the database server, idle connections are those of before.
      return read().catch((error: unknown) => {
        if (isLost(error)) {
          return read()
        }
        throw error
      })
    },
    close: () => pool.end(),
  }
}

type Settle = (error: Error | null, result: unknown) => void

/** Called for each COMMIT of Sequelize. */
interface CommitHooks {
  /** Called before the answer. */
  sent(): void
  answered(answer: unknown): void
}

/** The driver for Sequelize: translates statements, reads numbers, names the errors of lost connections, and ends silent ones. */
function driverWith(settings: Readonly<Record<string, string>>, commits: CommitHooks) {
  const getTypeParser = (id: number, format?: 'text') => readers[id] ?? pg.types.getTypeParser(id, format)
  function TranslatingClient(config: ClientConfig): Client {
    // Statements that do not wait for each other share a round trip.
    const client = new pg.Client({ ...config, options: settingsText(settings), pipeline: true })
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    const translating = (sql: unknown, ...more: unknown[]): unknown => {
      const settle = more.at(-1)
      const silence = setTimeout(() => client.connection.stream.destroy(lost()), silentMs)
      const isCommit = typeof sql === 'string' && sql.startsWith('COMMIT')
      const named: Settle = (error, result) => {
        clearTimeout(silence)
        withState(error)
        if (isCommit) {
          commits.answered(result)
        }
        ;(settle as Settle)(error, result)
      }
      const hasCallback = typeof settle === 'function'
      const given = hasCallback ? [...more.slice(0, -1), named] : more
      const args = given.map((arg) => (Array.isArray(arg) ? arg.map(valueFor) : arg))
      if (hasCallback && typeof sql === 'string' && sql.startsWith('START TRANSACTION')) {
        // Shares the round trip of the next statement. It fails with its connection only.
        query(sql, (error: Error | null) => error && client.connection.stream.destroy(lost()))
        process.nextTick(named, null, { command: 'START', rows: [], rowCount: 0 })
        return undefined
      }
      const result = query(typeof sql === 'string' ? wording(sql) : sql, ...args)
      if (hasCallback && isCommit) {
        commits.sent()
      }
      return hasCallback ? result : (result as Promise<unknown>).finally(() => clearTimeout(silence))
    }
    return Object.assign(client, { query: translating })
  }
  return { ...pg, types: { ...pg.types, getTypeParser }, Client: TranslatingClient }
}

/** Longest time of a timer. */
const forGood = 2 ** 31 - 1

/** Sequelize on PostgreSQL; `onConnect` prepares each new connection. */
export function createOrm(
  place: PostgresPlace,
  /** Main version of the database server. */
  version: number,
  role: 'reader' | 'writer',
  onConnect: (client: Client) => Promise<void> = async () => {},
  commits: CommitHooks = { sent() {}, answered() {} },
): Sequelize {
  const isReader = role === 'reader'
  const { ssl } = configOf(place)
  // Options that the types lack. Without the version, Sequelize would connect once more to ask for it.
  const dialectOptions = {
    ...(ssl !== false && { ssl }),
    application_name: 'Farhand',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
  }
  const known = { databaseVersion: `${version}.0.0`, keepDefaultTimezone: true }
  return new Sequelize({
    ...known,
    dialect: 'postgres',
    dialectModule: driverWith(isReader ? readOnly : {}, commits),
    host: place.host,
    port: place.port,
    username: place.user,
    ...(place.password !== undefined && { password: place.password }),
    database: place.name,
    dialectOptions,
    // The writer is one connection, kept for good: transactions and other writes share it.
    pool: isReader
      ? { max: 4, min: 0, idle: 600_000, evict: 60_000 }
      : { max: 1, min: 1, idle: forGood, evict: forGood },
    hooks: { afterConnect: (client: unknown) => onConnect(client as Client) },
    logging: false,
  })
}

/** Runs statements on a client that may be another one after a lost connection; sends them at once where it is connected. */
export function sessionOn(current: () => Client | Promise<Client>): Session {
  const run = async <T>(query: (client: Client) => Promise<T>): Promise<T> => {
    try {
      const client = current()
      return await query(client instanceof Promise ? await client : client)
    } catch (error) {
      throw withState(error)
    }
  }
  const all = <Row>(sql: string, params: readonly SqlValue[] = []): Promise<Row[]> =>
    run(async (client) => {
      const { rows } = await client.query<Row & object>({ ...statementOf(sql, params), types: typesOfRows })
      return rows
    })
  return {
    exec: (sql) =>
      run(async (client) => {
        // The client translates texts itself.
        await client.query(sql)
      }),
    all,
    // The client keeps what it has prepared, by the name of the statement.
    prepare: async (sql): Promise<PreparedStatement> => ({
      all: <Row>(params: readonly SqlValue[]) => all<Row>(sql, params),
      finalize: async () => {},
    }),
  }
}
