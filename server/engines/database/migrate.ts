import type { Log } from '../../ground/log.ts'
import { DataError, StartError } from '../../ground/start-error.ts'
import type { Connection } from './connection.ts'
import { copyBefore, keepCopy, listCopies } from './copies.ts'

/**
 * A step of the schema: SQL only, so that its meaning never changes. Runs with foreign keys off, and checks them at its
 * end.
 */
export interface Migration {
  /** Example: '0001-create-tables'. Never renamed: the database stores the name. */
  readonly name: string
  readonly up: readonly string[]
  /** The step on PostgreSQL, where `up` has words that only SQLite understands. */
  readonly postgres?: readonly string[]
}

export interface Applied {
  name: string
  appVersion: string
}

export interface MigrateOptions {
  migrations: readonly Migration[]
  /** Statements that make the tables of a new database, as all migrations would; without them, the migrations run. */
  schema?: readonly string[] | undefined
  /** Stored with each migration: a database needs the version that last changed its schema. */
  appVersion: string
  copiesFolder: string
  log: Log
}

export const bookkeeping = `CREATE TABLE IF NOT EXISTS migrations (
  position INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, appVersion TEXT NOT NULL,
  appliedAt TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ'))
) STRICT`

/** True once a migration has run: a database that lost its write-ahead log can be a file without tables. */
export const hasSchema = async (connection: Connection): Promise<boolean> => (await readApplied(connection)).length > 0

/** Updates the schema, or throws a StartError and leaves the database as it was before the failing step. */
export async function migrate(writer: Connection, options: MigrateOptions): Promise<void> {
  const { migrations, schema, appVersion, copiesFolder, log } = options
  const applied = await readApplied(writer)
  const unknown = applied.findIndex(({ name }, position) => name !== migrations[position]?.name)
  if (unknown >= 0) {
    throw await refuseNewer(applied, unknown, copiesFolder)
  }
  const next = migrations[applied.length]
  if (next === undefined) {
    return
  }

  const copy = applied.length === 0 ? undefined : await keepCopyOrRefuse(writer, copiesFolder, next.name)
  if (copy !== undefined) {
    log.info({ copy }, 'Copied the database before changing its schema')
  }
  // With foreign keys on, rebuilding a table would delete the rows that reference it. The pragma works outside
  // transactions only.
  await writer.exec('PRAGMA foreign_keys = OFF')
  try {
    if (applied.length === 0 && schema) {
      const names = migrations.map(({ name }) => name)
      await apply(writer, names, schema, appVersion)
    } else {
      for (const { name, up } of migrations.slice(applied.length)) {
        await apply(writer, [name], up, appVersion)
        if (applied.length > 0) {
          log.info({ migration: name }, 'Changed the database schema')
        }
      }
    }
    if (applied.length === 0) {
      log.info({}, 'Created the database')
    }
  } catch (error) {
    const kept = copy === undefined ? '' : ` The copy from before the update is ${copy}.`
    throw new StartError(
      `The database could not be brought up to date. ${error instanceof Error ? error.message : ''} ` +
        `The failing step changed nothing.${kept} Install the previous version again and report this message.`,
      { cause: error },
    )
  } finally {
    await writer.exec('PRAGMA foreign_keys = ON')
  }
}

/** Runs statements in one transaction, which also stores the names of their migrations. */
async function apply(writer: Connection, names: readonly string[], up: readonly string[], appVersion: string) {
  await writer.exec('BEGIN IMMEDIATE')
  try {
    await writer.exec(bookkeeping)
    for (const sql of up) {
      await writer.exec(sql)
    }
    const orphans = await writer.all<{ table: string }>('PRAGMA foreign_key_check')
    if (orphans.length > 0) {
      throw new Error(`Foreign keys would be violated in: ${[...new Set(orphans.map(({ table }) => table))].join()}`)
    }
    for (const name of names) {
      await writer.all('INSERT INTO migrations (name, appVersion) VALUES (?, ?)', [name, appVersion])
    }
    await writer.exec('COMMIT')
  } catch (error) {
    // After some errors (a full disk) SQLite has already rolled back, and ROLLBACK fails.
    await writer.exec('ROLLBACK').catch(() => {})
    throw new Error(`${names.at(-1)}: ${error instanceof Error ? error.message : String(error)}.`, { cause: error })
  }
}

async function readApplied(connection: Connection): Promise<Applied[]> {
  const [table] = await connection.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'")
  return table === undefined ? [] : connection.all('SELECT name, appVersion FROM migrations ORDER BY position')
}

async function refuseNewer(applied: readonly Applied[], unknown: number, copiesFolder: string): Promise<DataError> {
  const version = applied.at(-1)?.appVersion
  const copy = copyBefore(copiesFolder, applied[unknown]?.name ?? '')
  const restore = (await listCopies(copiesFolder)).includes(copy)
    ? `restore the copy from before its update, ${copy}`
    : 'restore a backup from before its update'
  return new DataError(
    `This data folder was written by a newer Farhand (${version}): install version ${version} or newer, or ${restore}.`,
  )
}

const keepCopyOrRefuse = (writer: Connection, folder: string, migration: string) =>
  keepCopy(writer, folder, migration).catch((error: unknown) => {
    throw new StartError(
      `The database has to be updated, but copying it to ${folder} failed: ` +
        `${error instanceof Error ? error.message : String(error)}. Make room on that disk and start again.`,
      { cause: error },
    )
  })
