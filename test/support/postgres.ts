import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { descriptions } from '../../server/call/models.ts'
import { openDatabase } from '../../server/engines/database/database.ts'
import { migrations } from '../../server/engines/database/migrations/index.ts'
import type { SqlValue } from '../../server/engines/database/connection.ts'
import type { PostgresOptions } from '../../server/engines/database/options.ts'
import { configOf } from '../../server/engines/database/postgres/connections.ts'
import { statementOf } from '../../server/engines/database/postgres/wording.ts'
import { postgresPrograms, postgresUser as user, startPostgres as start } from '../../tools/simulate/postgres.ts'
import { createTestLog } from './log.ts'

/** Port of the PostgreSQL of this run; unset where tests use SQLite. */
const portName = 'FARHAND_TEST_POSTGRES_PORT'
const template = 'farhand_template'

export { postgresPrograms }

/** Whether the servers of this run keep their data in PostgreSQL; tests of SQLite alone are left out then. */
export const isOnPostgres = process.env['FARHAND_TEST_DATABASE'] === 'postgres'

/** Starts a PostgreSQL for tests: nothing has to survive a power cut. */
export const startPostgres = (programs: string, settings: readonly string[] = []) =>
  start(programs, ['fsync = off', 'max_connections = 300', ...settings])

/** Starts the PostgreSQL of a run; returns the function that ends it. */
export async function startForRun(): Promise<() => void> {
  const programs = postgresPrograms()
  if (programs === undefined) {
    throw new Error('FARHAND_TEST_DATABASE=postgres needs PostgreSQL 15 or newer: apt-get install postgresql')
  }
  const server = await startPostgres(programs)
  process.env[portName] = String(server.port)
  return () => server.remove()
}

export const placeOf = (port: number, name: string): PostgresOptions => ({
  place: { host: '127.0.0.1', port, user, password: undefined, name, tls: false },
  tables: descriptions,
})

async function administer<T>(port: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ host: '127.0.0.1', port, user, database: 'postgres' })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Makes the database that others are copied from, once in a run: one worker after the other asks for it. */
async function makeTemplate(port: number): Promise<void> {
  await administer(port, async (client) => {
    await client.query('SELECT pg_advisory_lock(1)')
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [template])
    if (rowCount === 0) {
      await client.query(`CREATE DATABASE ${template}`)
      const directory = mkdtempSync(join(tmpdir(), 'farhand-schema-'))
      const options = { directory, migrations, log: createTestLog(), appVersion: '0.0.0.0' }
      const database = await openDatabase({ ...options, postgres: placeOf(port, template) })
      await database.close()
      rmSync(directory, { recursive: true })
    }
  })
}

/** By port, because a test may have a PostgreSQL of its own. */
const templates = new Map<number, Promise<void>>()

/** Makes the servers of tests use a PostgreSQL from now on; returns the function that ends that. */
export function usePostgres(port: number): () => void {
  const before = process.env[portName]
  process.env[portName] = String(port)
  return () => {
    if (before === undefined) {
      delete process.env[portName]
    } else {
      process.env[portName] = before
    }
  }
}

export interface TestDatabase {
  /** Settings of a server, without prefix. */
  settings: Record<string, string>
  options: PostgresOptions
  /** Removes the data of a stopped server. */
  empty(): Promise<void>
  drop(): Promise<void>
}

/** Makes an empty database for one server; undefined where tests use SQLite. */
export async function makeDatabase(): Promise<TestDatabase | undefined> {
  const port = Number(process.env[portName])
  if (!port) {
    return undefined
  }
  const made = templates.get(port) ?? makeTemplate(port)
  templates.set(port, made)
  await made
  const name = `test_${randomUUID().replaceAll('-', '')}`
  await administer(port, (client) => client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`))
  return {
    settings: {
      POSTGRES_HOST: '127.0.0.1',
      POSTGRES_PORT: String(port),
      POSTGRES_USER: user,
      POSTGRES_DB: name,
    },
    options: placeOf(port, name),
    empty: async () => void (await runIn(placeOf(port, name), 'DROP SCHEMA farhand CASCADE', [])),
    drop: () => administer(port, async (client) => void (await client.query(`DROP DATABASE ${name} WITH (FORCE)`))),
  }
}

/** SQLite compares a text of digits with a number as numbers. */
const valueOf = (param: SqlValue): SqlValue =>
  typeof param === 'string' && /^\d{1,15}$/.test(param) ? Number(param) : param

/** Connects to a database as the server does. */
export async function connectTo({ place }: PostgresOptions): Promise<pg.Client> {
  const client = new pg.Client(configOf(place))
  await client.connect()
  return client
}

/** Runs a statement, and returns its rows. */
export type ReadRows = <Row>(sql: string, params?: readonly SqlValue[]) => Promise<Row[]>

/** Passes a function that runs statements of the product over one connection beside a server. */
export async function readIn<T>(options: PostgresOptions, work: (rows: ReadRows) => Promise<T>): Promise<T> {
  const client = await connectTo(options)
  try {
    return await work(async <Row>(sql: string, params: readonly SqlValue[] = []) => {
      const { rows } = await client.query<Row & object>(statementOf(sql, params.map(valueOf)))
      return rows
    })
  } finally {
    await client.end()
  }
}

/** Runs a statement of the product beside a server, as an administrator with a database shell would. */
export const runIn = <Row>(options: PostgresOptions, sql: string, params: readonly SqlValue[]): Promise<Row[]> =>
  readIn(options, (rows) => rows<Row>(sql, params))
