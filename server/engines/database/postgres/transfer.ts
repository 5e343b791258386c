import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import pg, { type Client } from 'pg'
import { storableText } from '../../../../shared/cut-text.ts'
import { openBare, openConnection, type Connection } from '../connection.ts'
import { StartError } from '../../../ground/start-error.ts'
import { createPrivateFile } from '../folder.ts'
import { bookkeeping, type Migration } from '../migrate.ts'
import { schemaOf } from '../schema.ts'
import type { TableDescription } from '../table.ts'
import { configOf } from './connections.ts'
import { unfinishedMove } from './migrate.ts'
import type { PostgresPlace } from '../options.ts'
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

export const isOfTable = (statement: string) => statement.startsWith('CREATE TABLE')
/** Rows that are always there are copied as any others. */
const isRow = (statement: string) => statement.startsWith('INSERT')
export const isLater = (statement: string) => !isOfTable(statement) && !isRow(statement)

type Values = readonly unknown[]

export async function connect(place: PostgresPlace): Promise<Client> {
  const client = new pg.Client(configOf(place, noLimits))
  // The query in progress reports the error.
  client.on('error', () => {})
  await client.connect()
  return client
}

/** Rows of a table on PostgreSQL. Runs in the transaction of the client. */
export async function* pagesOf(client: Client, table: TableDescription): AsyncGenerator<Values[]> {
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

/** Escapes in JSON of what PostgreSQL keeps neither in texts nor in JSON. */
const unstorable = /\\u(?:0000|d[89a-f])/i

/** Value as PostgreSQL keeps it: SQLite has kept texts of devices with NULs. */
function portable(value: unknown): unknown {
  if (typeof value !== 'string') {
    return value
  }
  const text = storableText(value)
  if (!/^[[{]/.test(text) || !unstorable.test(text)) {
    return text
  }
  try {
    return JSON.stringify(
      JSON.parse(text, (_, item: unknown) => (typeof item === 'string' ? storableText(item) : item)),
    )
  } catch {
    return text
  }
}

interface PageOfFile {
  rows: Values[]
  /** Number of the last row. */
  last: number
}

interface Range {
  after?: number | undefined
  until?: number | undefined
}

/** Rows of a table of a file, after one row and up to another. Reads a page at a time on a connection that nobody writes to meanwhile. */
export async function* pagesOfFile(
  file: Connection,
  table: TableDescription,
  { after = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER }: Range = {},
): AsyncGenerator<PageOfFile> {
  const columns = columnsOf(table)
  const select = `SELECT rowid AS "row", ${columns.join()} FROM ${table.name}
    WHERE rowid > ? AND rowid <= ? ORDER BY rowid LIMIT ?`
  for (let length = firstLength, last = after; ;) {
    const found = await file.all<Record<string, unknown> & { row: number }>(select, [last, until, length])
    const newest = found.at(-1)
    if (!newest) {
      return
    }
    last = newest.row
    const rows = found.map((row) => columns.map((column) => portable(row[column])))
    yield { rows, last }
    length = nextLength(length, rows)
  }
}

/** Counts and hashes rows that pass, in any order: a table holds no row twice. */
export class Tally {
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

export async function tally(name: string, pages: AsyncIterable<Values[]>): Promise<CopiedTable> {
  const found = new Tally()
  for await (const page of pages) {
    found.add(page)
  }
  return found.of(name)
}

export async function tallyOfFile(file: Connection, table: TableDescription, until?: number): Promise<Tally> {
  const found = new Tally()
  for await (const { rows } of pagesOfFile(file, table, { until })) {
    found.add(rows)
  }
  return found
}

/** Opens the file of a copy. With `resumes`, a file that an interrupted copy of the same schema began is kept. */
async function openCopy(path: string, schema: readonly string[], resumes: boolean): Promise<Connection> {
  const hash = createHash('sha256').update(schema.join()).digest('hex')
  const begun = resumes && existsSync(path) ? await openBare(path, 0) : undefined
  const known = await begun?.all<{ hash: string }>(`SELECT hash FROM ${unfinishedMove}`).catch(() => [])
  if (begun && known?.[0]?.hash === hash) {
    return begun
  }
  await begun?.close()
  await rm(path, { force: true })
  await createPrivateFile(path)
  const file = await openBare(path, 0)
  const made = `CREATE TABLE ${unfinishedMove} AS SELECT '${hash}' AS hash`
  await file.exec(['BEGIN', bookkeeping, ...schema.filter(isOfTable), made, 'COMMIT'].join(';\n'))
  return file
}

/** Returns the tally of a table in the file if its rows equal those of the database; undefined if the table has to be copied. */
async function copiedTable(
  client: Client,
  file: Connection,
  table: TableDescription,
): Promise<CopiedTable | undefined> {
  const kept = (await tallyOfFile(file, table)).of(table.name)
  const source = kept.rows > 0 ? await tally(table.name, pagesOf(client, table)) : undefined
  return source?.rows === kept.rows && source.hash === kept.hash ? source : undefined
}

async function copyToFile(client: Client, file: Connection, table: TableDescription): Promise<CopiedTable> {
  const columns = columnsOf(table)
  const values = columns.map((_, index) => `value ->> ${index}`).join()
  const insert = `INSERT INTO ${table.name} (${columns.join()}) SELECT ${values} FROM json_each(?)`
  const found = new Tally()
  await file.exec(`BEGIN; DELETE FROM ${table.name}`)
  for await (const page of pagesOf(client, table)) {
    found.add(page)
    await file.all(insert, [JSON.stringify(page)])
  }
  await file.exec('COMMIT')
  return found.of(table.name)
}

/**
 * Copies the committed data of one moment into a SQLite file, with the schema of this version. With `resumes`, tables that an
 * interrupted copy has completed, and that nobody has changed since, are not copied again. With `migrations`, those of this
 * version, throws a StartError after an update of the schema: the copy would lack columns that its list of migrations promises.
 */
export async function exportTo(
  place: PostgresPlace,
  tables: readonly TableDescription[],
  path: string,
  { resumes = false, migrations }: { resumes?: boolean; migrations?: readonly Migration[] } = {},
): Promise<CopiedTable[]> {
  const schema = schemaOf(tables)
  const client = await connect(place)
  const file = await openCopy(path, schema, resumes)
  try {
    // Without `resumes` no later copy uses an incomplete file, so its pages need not reach the disk in order.
    await file.exec(`PRAGMA synchronous = ${resumes ? 'FULL' : 'OFF'}; PRAGMA foreign_keys = OFF`)
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const copied: CopiedTable[] = []
    for (const table of tables) {
      copied.push((await copiedTable(client, file, table)) ?? (await copyToFile(client, file, table)))
    }
    const { rows } = await client.query<{ json: string; count: number }>(
      'SELECT coalesce(json_agg(json_build_array(position, name, "appVersion", "appliedAt") ORDER BY position), \'[]\') AS json, count(*)::integer FROM migrations',
    )
    if (migrations !== undefined && rows[0]!.count > migrations.length) {
      throw new StartError(
        'A server with a newer version has changed the database, so this version cannot copy all of it. Update this server, or make the backup at the newer one.',
      )
    }
    await file.exec('BEGIN')
    await file.all(
      `INSERT INTO migrations (position, name, appVersion, appliedAt)
       SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3 FROM json_each(?)`,
      [rows[0]?.json ?? '[]'],
    )
    await client.query('COMMIT')
    await file.exec([...schema.filter(isLater), `DROP TABLE ${unfinishedMove}`, 'COMMIT'].join(';\n'))
    await file.exec('PRAGMA synchronous = FULL')
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
      hashed.push((await tallyOfFile(file, table)).of(table.name))
    }
    return hashed
  } finally {
    await file.close()
  }
}
