import { openBare, type Connection } from '../engines/database/connection.ts'
import { migrations } from '../engines/database/migrations/index.ts'
import { BackupError } from './backup-error.ts'

/** Counts of the contents of a copy, by which a person recognizes the copy. */
export interface Counts {
  people: number
  devices: number
  organizations: number
  events: number
}

const counted = `SELECT (SELECT count(*) FROM users) AS people, (SELECT count(*) FROM devices) AS devices,
  (SELECT count(*) FROM tenants) AS organizations, (SELECT count(*) FROM audit_events) AS events`

const oneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ').trim()

/** Tables and indexes, without the clause by which a constraint drops writes silently. */
const isPlain = (sql: string) => /^CREATE (?:TABLE|(?:UNIQUE )?INDEX) /.test(sql) && !/\bCONFLICT\b/i.test(sql)

/**
 * Throws a `BackupError` for triggers, views and virtual tables that no migration made: they would change data, or hide it.
 * Judges them by their SQL: SQLite runs a trigger whatever page its row names.
 */
async function checkSchema(database: Connection, path: string): Promise<void> {
  const found = await database.all<{ name: string; sql: string }>(
    'SELECT CAST(name AS TEXT) AS name, CAST(sql AS TEXT) AS sql FROM sqlite_schema WHERE sql IS NOT NULL',
  )
  const ours = new Set(migrations.flatMap(({ up }) => up).map(oneLine))
  const foreign = found.find(({ sql }) => !isPlain(sql) && !ours.has(oneLine(sql)))
  if (foreign) {
    throw new BackupError(
      `The database in the backup ${path} has something that Farhand did not make: ${foreign.name.slice(0, 100)}. Take a copy that Farhand wrote.`,
    )
  }
}

/** Checks the whole database of a copy and counts its contents. Throws a `BackupError` for a damaged or changed copy. */
export async function checkDatabase(file: string, path: string): Promise<Counts> {
  const database = await openBare(file, 0)
  try {
    // First: a query of a view could run for ever.
    await checkSchema(database, path)
    const [first] = await database.all<{ integrity_check: string }>('PRAGMA integrity_check(1)')
    const [counts] = await database.all<Counts>(counted)
    if (first?.integrity_check !== 'ok' || !counts) {
      throw new Error(first?.integrity_check)
    }
    return counts
  } catch (error) {
    if (error instanceof BackupError) {
      throw error
    }
    throw new BackupError(`The database in the backup ${path} is damaged. Take another copy.`, { cause: error })
  } finally {
    await database.close()
  }
}
