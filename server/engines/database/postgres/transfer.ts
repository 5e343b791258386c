import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import pg, { type Client } from 'pg'
import type { Log } from '../../../ground/log.ts'
import { StartError } from '../../../ground/start-error.ts'
import { openBare, openConnection, type Connection } from '../connection.ts'
import { createPrivateFile } from '../folder.ts'
import { bookkeeping as fileBookkeeping, migrate, type Migration } from '../migrate.ts'
import { schemaOf } from '../schema.ts'
import type { TableDescription } from '../table.ts'
import { configOf, schemaName } from './connections.ts'
import type { PostgresPlace } from '../options.ts'
import { functions } from './functions.ts'
import { join } from './membership.ts'
import { bookkeeping } from './migrate.ts'
import { columnType, postgresSchemaOf } from './schema.ts'
import { wording } from './wording.ts'

/** Rows carried at once, at first and at most; fewer of a table with long texts. */
const firstLength = 32
const mostLength = 1_024
const pageCharacters = 4 * 1024 * 1024

function nextLength(length: number, page: readonly Values[]): number {
  const characters = page.flat().reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
  return characters > pageCharacters ? Math.ceil(length / 4) : Math.min(mostLength, length * 2)
}

/** A copy may take longer than any statement of a server. */
const noLimits = { statement_timeout: '0', idle_in_transaction_session_timeout: '0' }

export interface CopiedTable {
  name: string
  rows: number
  /** SHA-256 of all rows, joined by XOR. */
  hash: string
}

const columnsOf = ({ columns }: TableDescription) => Object.keys(columns)

const isOfTable = (statement: string) => statement.startsWith('CREATE TABLE')
/** Rows that are always there are copied as any others. */
const isRow = (statement: string) => statement.startsWith('INSERT')
const isLater = (statement: string) => !isOfTable(statement) && !isRow(statement)

type Values = readonly unknown[]

async function connect(place: PostgresPlace): Promise<Client> {
  const client = new pg.Client(configOf(place, noLimits))
  // The query in progress reports the error.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Rows of a table on PostgreSQL. Runs in the transaction of the client. */
async function* pagesOf(client: Client, table: TableDescription): AsyncGenerator<Values[]> {
  await client.query(wording(`DECLARE pages CURSOR FOR SELECT ${columnsOf(table).join()} FROM ${table.name}`))
  for (let length = firstLength; ;) {
    const { rows } = await client.query<unknown[]>({ text: `FETCH ${length} FROM pages`, rowMode: 'array' })
    if (rows.length === 0) {
      break
    }
    yield rows
    length = nextLength(length, rows)
  }
  await client.query('CLOSE pages')
}

/** Rows of a table of a file. Reads a page at a time on a connection that nobody writes to meanwhile. */
async function* pagesOfFile(file: Connection, table: TableDescription): AsyncGenerator<Values[]> {
  const columns = columnsOf(table)
  const select = `SELECT rowid AS "row", ${columns.join()} FROM ${table.name} WHERE rowid > ? ORDER BY rowid LIMIT ?`
  for (let length = firstLength, last = Number.MIN_SAFE_INTEGER; ;) {
    const rows = await file.all<Record<string, unknown> & { row: number }>(select, [last, length])
    const newest = rows.at(-1)
    if (!newest) {
      return
    }
    last = newest.row
    const page = rows.map((row) => columns.map((column) => row[column]))
    yield page
    length = nextLength(length, page)
  }
}

/** Counts and hashes rows that pass, in any order: a table holds no row twice. */
class Tally {
  rows = 0
  readonly #hash = Buffer.alloc(32)

  add(page: readonly Values[]): void {
    this.rows += page.length
    for (const row of page) {
      const hash = createHash('sha256').update(JSON.stringify(row)).digest()
      hash.forEach((byte, index) => (this.#hash[index]! ^= byte))
    }
  }

  of(name: string): CopiedTable {
    return { name, rows: this.rows, hash: this.#hash.toString('hex') }
  }
}

async function tally(name: string, pages: AsyncIterable<Values[]>): Promise<CopiedTable> {
  const found = new Tally()
  for await (const page of pages) {
    found.add(page)
  }
  return found.of(name)
}

/** Copies the committed data of one moment into a new SQLite file, with the schema of this version. */
export async function exportTo(
  place: PostgresPlace,
  tables: readonly TableDescription[],
  path: string,
): Promise<CopiedTable[]> {
  await createPrivateFile(path)
  const client = await connect(place)
  const file = await openBare(path, 0)
  try {
    // The file is worth nothing before it is complete.
    await file.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN')
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const schema = schemaOf(tables)
    await file.exec([fileBookkeeping, ...schema.filter(isOfTable)].join(';\n'))
    const copied: CopiedTable[] = []
    for (const table of tables) {
      const columns = columnsOf(table)
      const values = columns.map((_, index) => `value ->> ${index}`).join()
      const insert = `INSERT INTO ${table.name} (${columns.join()}) SELECT ${values} FROM json_each(?)`
      const found = new Tally()
      for await (const page of pagesOf(client, table)) {
        found.add(page)
        await file.all(insert, [JSON.stringify(page)])
      }
      copied.push(found.of(table.name))
    }
    const { rows } = await client.query<{ json: string }>(
      'SELECT coalesce(json_agg(json_build_array(position, name, "appVersion", "appliedAt") ORDER BY position), \'[]\') AS json FROM migrations',
    )
    await file.all(
      `INSERT INTO migrations (position, name, appVersion, appliedAt)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`,
      [rows[0]?.json ?? '[]'],
    )
    await client.query('COMMIT')
    await file.exec([...schema.filter(isLater), 'COMMIT'].join(';\n'))
    await file.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL')
    return copied
  } finally {
    await file.close()
    await client.end()
  }
}

/** Hashes the tables of a file, to compare them with those that were read. */
export async function hashFile(path: string, tables: readonly TableDescription[]): Promise<CopiedTable[]> {
  const file = await openConnection(path, 'reader')
  try {
    const hashed: CopiedTable[] = []
    for (const table of tables) {
      hashed.push(await tally(table.name, pagesOfFile(file, table)))
    }
    return hashed
  } finally {
    await file.close()
  }
}

interface ImportOptions {
  migrations: readonly Migration[]
  tables: readonly TableDescription[]
  appVersion: string
  log: Log
  /** Whether the copy takes the place of present data; otherwise a database with data is refused. */
  replaces?: boolean
  /** Maximum wait for servers that use the database. */
  lockWaitMs: number
}

/** Makes a copy of the file whose schema is that of this version: the file itself stays as it is. */
async function currentCopy(path: string, { migrations, appVersion, log }: ImportOptions): Promise<string> {
  const copy = `${path}.import`
  await rm(copy, { force: true })
  const file = await openBare(path, 10_000)
  try {
    await createPrivateFile(copy)
    await file.all('VACUUM INTO ?', [copy])
  } finally {
    await file.close()
  }
  const writer = await openConnection(copy, 'writer')
  try {
    await migrate(writer, { migrations, appVersion, copiesFolder: dirname(path), log })
  } finally {
    await writer.close()
  }
  return copy
}

async function makeRoom(client: Client, replaces: boolean): Promise<void> {
  const { rows } = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 LIMIT 1', [schemaName])
  if (rows.length > 0 && !replaces) {
    throw new StartError('The PostgreSQL database holds data of Farhand already. Name an empty database (POSTGRES_DB).')
  }
  await client.query(`DROP SCHEMA IF EXISTS ${schemaName} CASCADE; CREATE SCHEMA ${schemaName}`)
}

async function copyTable(client: Client, file: Connection, table: TableDescription): Promise<CopiedTable> {
  const columns = Object.entries(table.columns)
  const values = columns.map(([, column], index) => `CAST(value ->> ${index} AS ${columnType(column)})`).join()
  const names = columns.map(([name]) => name).join()
  const insert = wording(`INSERT INTO ${table.name} (${names}) SELECT ${values} FROM jsonb_each($1::text)`)
  const found = new Tally()
  for await (const page of pagesOfFile(file, table)) {
    found.add(page)
    await client.query(insert, [JSON.stringify(page)])
  }
  const source = found.of(table.name)
  const stored = await tally(table.name, pagesOf(client, table))
  if (stored.rows !== source.rows || stored.hash !== source.hash) {
    throw new StartError(
      `The table ${table.name} differs after it was copied: ${source.rows} rows became ${stored.rows}. Nothing was changed; report this message.`,
    )
  }
  return source
}

/** Copies a SQLite file into PostgreSQL in one transaction, and compares what is stored there. The file stays as it is. */
export async function importFrom(path: string, place: PostgresPlace, options: ImportOptions): Promise<CopiedTable[]> {
  const { tables, migrations, appVersion, lockWaitMs, replaces = false } = options
  const copy = await currentCopy(path, options)
  const client = await connect(place)
  try {
    await join(client, { place }, lockWaitMs)
    await using file = await openForCopy(copy)
    await client.query('BEGIN')
    await makeRoom(client, replaces)
    const schema = postgresSchemaOf(tables)
    await client.query([bookkeeping, ...functions, ...schema.filter(isOfTable)].join(';\n'))
    const copied: CopiedTable[] = []
    for (const table of tables) {
      copied.push(await copyTable(client, file, table))
    }
    await client.query(schema.filter(isLater).join(';\n'))
    for (const { name } of migrations) {
      await client.query('INSERT INTO migrations (name, "appVersion") VALUES ($1, $2)', [name, appVersion])
    }
    await client.query('COMMIT')
    return copied
  } finally {
    // Ends an open transaction, too.
    await client.end()
    await rm(copy, { force: true })
  }
}

async function openForCopy(path: string): Promise<Connection & AsyncDisposable> {
  const file = await openConnection(path, 'reader')
  return { ...file, [Symbol.asyncDispose]: () => file.close() }
}
