import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Client } from 'pg'
import type { Log } from '../../../ground/log.ts'
import { StartError } from '../../../ground/start-error.ts'
import { openBare, openConnection, type Connection } from '../connection.ts'
import { createPrivateFile } from '../folder.ts'
import { migrate, type Migration } from '../migrate.ts'
import type { PostgresPlace } from '../options.ts'
import type { TableDescription } from '../table.ts'
import { schemaName } from './connections.ts'
import { functions } from './functions.ts'
import { lockDatabase } from './locks.ts'
import { bookkeeping, unfinishedMove } from './migrate.ts'
import { columnType, postgresSchemaOf } from './schema.ts'
import {
  connect,
  isLater,
  isOfTable,
  pagesOf,
  pagesOfFile,
  tally,
  Tally,
  tallyOfFile,
  type CopiedTable,
} from './transfer.ts'
import { wording } from './wording.ts'

interface ImportOptions {
  migrations: readonly Migration[]
  tables: readonly TableDescription[]
  appVersion: string
  log: Log
  /**
   * Whether the copy takes the place of present data, in one transaction. Otherwise a database with data is refused, and a
   * copy that was interrupted is continued.
   */
  replaces?: boolean
  /** Maximum wait for servers that use the database. */
  lockWaitMs: number
}

async function removeCopy(copy: string): Promise<void> {
  for (const ending of ['', '-journal', '-wal', '-shm']) {
    await rm(copy + ending, { force: true })
  }
}

/** Makes a copy of the file whose schema is that of this version: the file itself stays as it is. */
async function makeCopy(path: string, copy: string, { migrations, appVersion, log }: ImportOptions): Promise<void> {
  await removeCopy(copy)
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
}

/** Table with what has been copied so far, which a finished copy does not have. */
const makeProgress = `CREATE TABLE ${unfinishedMove} (name TEXT PRIMARY KEY, last BIGINT, rows BIGINT, hash TEXT)`
const noteProgress = `INSERT INTO ${unfinishedMove} VALUES ($1, $2, $3, $4)
  ON CONFLICT (name) DO UPDATE SET last = excluded.last, rows = excluded.rows, hash = excluded.hash`

interface Progress {
  last: number
  rows: number
  hash: string
}

const progressOf = async (client: Client, name: string): Promise<Progress | undefined> =>
  (await client.query<Progress>(`SELECT last, rows, hash FROM ${unfinishedMove} WHERE name = $1`, [name])).rows[0]

const tablesOf = async (client: Client): Promise<string[]> => {
  const sql = 'SELECT tablename FROM pg_tables WHERE schemaname = $1'
  return (await client.query<{ tablename: string }>(sql, [schemaName])).rows.map(({ tablename }) => tablename)
}

/** Makes tables without indexes; a copy that another version has begun is begun anew. */
async function makeTables(client: Client, schema: readonly string[]): Promise<void> {
  const hash = createHash('sha256').update(schema.join()).digest('hex')
  const isBegun = (await tablesOf(client)).includes(unfinishedMove)
  if (isBegun && (await progressOf(client, ''))?.hash === hash) {
    return
  }
  await client.query(`DROP SCHEMA IF EXISTS ${schemaName} CASCADE; CREATE SCHEMA ${schemaName}`)
  await client.query([bookkeeping, makeProgress, ...functions, ...schema.filter(isOfTable)].join(';\n'))
  await client.query(noteProgress, ['', 0, 0, hash])
}

/** Place after the rows that an earlier run has copied. Without any, or if the file has changed since, the table is emptied. */
async function placeIn(
  client: Client,
  file: Connection,
  table: TableDescription,
): Promise<{ found: Tally; after?: number }> {
  const known = await progressOf(client, table.name)
  if (known) {
    const found = await tallyOfFile(file, table, known.last)
    const { rows, hash } = found.of(table.name)
    if (rows === known.rows && hash === known.hash) {
      return { found, after: known.last }
    }
  }
  await client.query(`DELETE FROM ${table.name}`)
  return { found: new Tally() }
}

/** Copies the rows of a table; `settle` is called after each page. */
async function copyTable(
  client: Client,
  file: Connection,
  table: TableDescription,
  settle: () => Promise<void>,
): Promise<CopiedTable> {
  const { name } = table
  const columns = Object.entries(table.columns)
  const values = columns.map(([, column], index) => `CAST(value ->> ${index} AS ${columnType(column)})`).join()
  const names = columns.map(([column]) => column).join()
  const insert = wording(`INSERT INTO ${name} (${names}) SELECT ${values} FROM jsonb_each($1::text)`)
  const { found, ...from } = await placeIn(client, file, table)
  for await (const { rows, last } of pagesOfFile(file, table, from)) {
    found.add(rows)
    await client.query(insert, [JSON.stringify(rows)])
    const so = found.of(name)
    await client.query(noteProgress, [name, last, so.rows, so.hash])
    await settle()
  }
  return compare(client, table, found)
}

async function compare(client: Client, table: TableDescription, found: Tally): Promise<CopiedTable> {
  const source = found.of(table.name)
  const stored = await tally(table.name, pagesOf(client, table))
  if (stored.rows !== source.rows || stored.hash !== source.hash) {
    throw new StartError(
      `The table ${table.name} differs after it was copied: ${source.rows} rows became ${stored.rows}. The file is unchanged; report this message.`,
    )
  }
  return source
}

/** Tables of a copy that an earlier run has finished; undefined without one. Refuses other data. */
async function finishedCopy(
  client: Client,
  file: Connection,
  options: ImportOptions,
): Promise<CopiedTable[] | undefined> {
  const present = await tablesOf(client)
  if (present.length === 0 || present.includes(unfinishedMove)) {
    return undefined
  }
  const copied: CopiedTable[] = []
  try {
    for (const table of options.tables) {
      copied.push(await compare(client, table, await tallyOfFile(file, table)))
    }
  } catch (error) {
    throw new StartError(
      'The PostgreSQL database holds data of Farhand already. Name an empty database (Service_POSTGRES_DB).',
      { cause: error },
    )
  }
  return copied
}

async function copyAll(client: Client, file: Connection, options: ImportOptions): Promise<CopiedTable[]> {
  const { tables, migrations, appVersion, replaces = false } = options
  await client.query('BEGIN')
  const finished = replaces ? undefined : await finishedCopy(client, file, options)
  if (finished) {
    return finished
  }
  if (replaces) {
    await client.query(`DROP SCHEMA IF EXISTS ${schemaName} CASCADE`)
  }
  const settle = async () => {
    if (!replaces) {
      await client.query('COMMIT; BEGIN')
    }
  }
  const schema = postgresSchemaOf(tables)
  await makeTables(client, schema)
  await settle()
  const copied: CopiedTable[] = []
  for (const table of tables) {
    copied.push(await copyTable(client, file, table, settle))
  }
  await client.query([...schema.filter(isLater), `DROP TABLE ${unfinishedMove}`].join(';\n'))
  for (const { name } of migrations) {
    await client.query('INSERT INTO migrations (name, "appVersion") VALUES ($1, $2)', [name, appVersion])
  }
  await client.query('COMMIT')
  return copied
}

/** Copies a SQLite file into PostgreSQL, and compares what is stored there. The file stays as it is. */
export async function importFrom(path: string, place: PostgresPlace, options: ImportOptions): Promise<CopiedTable[]> {
  const copy = `${path}.import`
  await using cleanup = new AsyncDisposableStack()
  cleanup.defer(() => removeCopy(copy))
  await makeCopy(path, copy, options)
  const client = await connect(place)
  // Ends an open transaction, too.
  cleanup.defer(() => client.end())
  await lockDatabase(client, { place }, options.lockWaitMs)
  await using file = await openForCopy(copy)
  return await copyAll(client, file, options)
}

async function openForCopy(path: string): Promise<Connection & AsyncDisposable> {
  const file = await openConnection(path, 'reader')
  return { ...file, [Symbol.asyncDispose]: () => file.close() }
}
