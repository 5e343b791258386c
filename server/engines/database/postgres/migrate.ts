import type { Client } from 'pg'
import type { Log } from '../../../ground/log.ts'
import { DataError, StartError } from '../../../ground/start-error.ts'
import type { Applied, Migration } from '../migrate.ts'
import type { TableDescription } from '../table.ts'
import { schemaName } from './connections.ts'
import { isBusy } from './failures.ts'
import { functions } from './functions.ts'
import { migrationLock, writeLock } from './locks.ts'
import { postgresSchemaOf } from './schema.ts'
import { wording } from './wording.ts'

interface PostgresMigrateOptions {
  migrations: readonly Migration[]
  tables: readonly TableDescription[]
  appVersion: string
  log: Log
}

const types: Readonly<Record<string, string>> = {
  INTEGER: 'BIGINT',
  REAL: 'DOUBLE PRECISION',
  TEXT: 'TEXT COLLATE "C"',
  ' STRICT': '',
}

/** Translates a step for SQLite. Its truth values are integers, so a step with one has a form for PostgreSQL. */
const stepOf = (sql: string) =>
  wording(sql).replace(/\b(?:INTEGER|REAL|TEXT)\b(?! COLLATE)| STRICT$/g, (word) => types[word] ?? word)

export const bookkeeping = `CREATE TABLE IF NOT EXISTS migrations (
  position BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name TEXT NOT NULL UNIQUE, "appVersion" TEXT NOT NULL,
  "appliedAt" TEXT NOT NULL DEFAULT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`

/** Table with the progress of a copy into this database: without it, no copy is unfinished. */
export const unfinishedMove = 'unfinished_move'

/** Updates the schema in one transaction, or throws a StartError or the error of a lock that it did not get, and changes nothing. */
export async function migratePostgres(client: Client, options: PostgresMigrateOptions): Promise<void> {
  const { migrations, log, appVersion } = options
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1, $2)', [...migrationLock])
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schemaName}`)
    await client.query(bookkeeping)
    const { rows: applied } = await client.query<Applied>('SELECT name, "appVersion" FROM migrations ORDER BY position')
    if (applied.some(({ name }, position) => name !== migrations[position]?.name)) {
      const version = applied.at(-1)?.appVersion
      throw new DataError(
        `This database was written by a newer Farhand (${version}): install version ${version} or newer, or restore a backup from before its update.`,
      )
    }
    const { rows: begun } = await client.query('SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
      schemaName,
      unfinishedMove,
    ])
    if (begun.length > 0) {
      throw new StartError(
        'Data is being copied into this database, and the copy was interrupted: run `move-database to-postgres` again.',
      )
    }
    const missing = migrations.slice(applied.length)
    const isNew = applied.length === 0
    const statements = isNew
      ? [...functions, ...postgresSchemaOf(options.tables)]
      : missing.flatMap(({ up, postgres }) => postgres ?? up.map(stepOf))
    if (missing.length > 0) {
      await client.query('SELECT pg_advisory_xact_lock($1, $2)', [...writeLock])
    }
    // Several at once: each statement alone would wait for its answer.
    await client.query(statements.join(';\n'))
    for (const { name } of missing) {
      await client.query('INSERT INTO migrations (name, "appVersion") VALUES ($1, $2)', [name, appVersion])
    }
    await client.query('COMMIT')
    if (missing.length > 0) {
      log.info({ migrations: missing.length }, isNew ? 'Created the database' : 'Changed the database schema')
    }
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    if (error instanceof StartError || isBusy(error)) {
      throw error
    }
    throw new StartError(
      `The database could not be brought up to date. ${error instanceof Error ? error.message : ''}. ` +
        'The failing step changed nothing. Install the previous version again and report this message.',
      { cause: error },
    )
  }
}
