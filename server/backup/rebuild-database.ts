import { rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { openBare, type Connection } from '../engines/database/connection.ts'
import { createPrivateFile } from '../engines/database/folder.ts'
import { migrate } from '../engines/database/migrate.ts'
import { migrations } from '../engines/database/migrations/index.ts'
import { createLog } from '../ground/log.ts'
import { BackupError, explainAt } from './backup-error.ts'
import type { Header } from './header.ts'

/** Counts of the contents of a copy, by which a person recognizes the copy. */
export interface Counts {
  people: number
  devices: number
  organizations: number
  events: number
}

const counted = `SELECT (SELECT count(*) FROM users) AS people, (SELECT count(*) FROM devices) AS devices,
  (SELECT count(*) FROM tenants) AS organizations, (SELECT count(*) FROM audit_events) AS events`

/** Runs no code of the database `theirs`: neither a view in place of a table, nor an expression in one. */
async function checkTable(database: Connection, name: string): Promise<void> {
  const [table] = await database.all(
    `SELECT 1 FROM pragma_table_list WHERE schema = 'theirs' AND name = ? AND type = 'table'
     AND NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(?, 'theirs') WHERE hidden <> 0)`,
    [name, name],
  )
  // Pages that lead to each other could be read for ever.
  const [found] = table ? await database.all<{ quick_check: string }>(`PRAGMA theirs.quick_check(${name})`) : []
  if (found?.quick_check !== 'ok') {
    throw new Error(`The table ${name} cannot be read: ${found?.quick_check ?? 'there is none'}.`)
  }
}

async function copyTable(database: Connection, name: string): Promise<void> {
  const found = await database.all<{ name: string }>('SELECT name FROM pragma_table_info(?)', [name])
  const columns = found.map((column) => column.name).join()
  // In the order of their making, and without an index of theirs.
  await database.exec(`INSERT INTO ${name} (${columns}) SELECT ${columns} FROM theirs.${name} ORDER BY rowid`)
}

/** Copies all rows into tables of the same version; indexes and triggers are made afterwards. */
async function copyRows(database: Connection, file: string): Promise<void> {
  const made = await database.all<{ type: string; name: string; sql: string }>(
    "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND name <> 'migrations'",
  )
  const tables = made.filter(({ type }) => type === 'table').map(({ name }) => name)
  const later = made.filter(({ type }) => type !== 'table')
  await database.all('ATTACH ? AS theirs', [file])
  await database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = OFF')
  await database.exec('PRAGMA ignore_check_constraints = ON')
  for (const name of tables) {
    await checkTable(database, name)
  }
  await database.exec('PRAGMA ignore_check_constraints = OFF; BEGIN')
  await database.exec(later.map(({ type, name }) => `DROP ${type} ${name}`).join(';'))
  // Rows that are always there are copied as any others.
  await database.exec(tables.map((name) => `DELETE FROM ${name}`).join(';'))
  for (const name of tables) {
    await copyTable(database, name)
  }
  await database.exec([...later.map(({ sql }) => sql), 'COMMIT'].join(';\n'))
  const [orphan] = await database.all<{ table: string }>('PRAGMA main.foreign_key_check')
  if (orphan) {
    throw new Error(`Rows of the table ${orphan.table} belong to nothing.`)
  }
}

/**
 * Exchanges the database of a copy for one whose tables, indexes and triggers are ours, with the rows of the copy: its
 * schema could change data later, hide it, or keep what is taken away. Returns counts of the contents. Throws a
 * `BackupError` for a damaged copy.
 */
export async function rebuildDatabase(file: string, path: string, { schema, appVersion }: Header): Promise<Counts> {
  const rebuilt = `${file}.rebuilt`
  await createPrivateFile(rebuilt)
  const database = await openBare(rebuilt, 0)
  let counts
  try {
    const level = migrations.findIndex(({ name }) => name === schema)
    const log = createLog({ default: 'None' })
    const known = migrations.slice(0, level + 1)
    await migrate(database, { migrations: known, appVersion, copiesFolder: dirname(file), log })
    await copyRows(database, file)
    ;[counts] = await database.all<Counts>(counted)
  } catch (error) {
    const explained = explainAt(`The folder ${dirname(file)}`, error)
    throw explained instanceof BackupError
      ? explained
      : new BackupError(`The database in the backup ${path} is damaged. Take another copy.`, { cause: error })
  } finally {
    await database.close()
  }
  await rename(rebuilt, file)
  return counts!
}
