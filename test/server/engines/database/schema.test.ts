import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { settingRows } from '../../../../server/settings/keys.ts'
import { openDatabase, type Database } from '../../../../server/engines/database/database.ts'
import { createLog } from '../../../../server/ground/log.ts'
import { migrations } from '../../../../server/engines/database/migrations/index.ts'
import { schema, tables } from '../../../../server/call/models.ts'
import { temporaryFolder } from '../../../support/server-process.ts'

interface Named {
  name: string
}

const open = async (options: { schema?: readonly string[] } = {}) =>
  openDatabase({
    directory: await temporaryFolder(),
    migrations,
    appVersion: '1.0.0',
    log: createLog({ default: 'None' }),
    ...options,
  })

const oneLine = (sql: string) => sql.replaceAll(/\s+/g, ' ')

/** Parts of a table's SQL that no pragma returns. */
const constraints = (sql: string) => [
  ...sql.matchAll(/\w+ TEXT [^,]*COLLATE \w+|CHECK \(.*?\)(?=,| REFERENCES|\n|$)/gm),
]

/** Describes all that a table accepts, without the order of its columns. */
async function describeTable(database: Database, { name, sql }: Named & { sql: string }) {
  const pragma = <Row>(pragmaName: string, of: string) =>
    database.all<Row>(`SELECT * FROM pragma_${pragmaName}('${of}')`)
  const columns = await pragma<Named & { cid: number }>('table_xinfo', name)
  const keys = await pragma<{ from: string; id: number }>('foreign_key_list', name)
  const indexes = await pragma<Named & { seq: number; origin: string }>('index_list', name)
  const described = indexes.map(async ({ seq: _, ...index }) => ({
    ...index,
    name: index.origin === 'c' ? index.name : '',
    columns: (await pragma<{ cid: number }>('index_xinfo', index.name)).map(({ cid: __, ...column }) => column),
  }))
  const rest = await database.all<{ sql: string }>(
    "SELECT sql FROM sqlite_schema WHERE tbl_name = ? AND type <> 'table' AND sql IS NOT NULL",
    [name],
  )
  const texts = (values: readonly object[]) => values.map((value) => JSON.stringify(value)).toSorted()
  return {
    isStrict: sql.endsWith('STRICT'),
    columns: texts(columns.map(({ cid: _, ...column }) => column)),
    keys: texts(keys.map(({ id: _, ...key }) => key)),
    indexes: texts(await Promise.all(described)),
    statements: rest.map((row) => oneLine(row.sql)).toSorted(),
    constraints: constraints(sql).map(String).toSorted(),
  }
}

async function describeAll(database: Database) {
  const tables = await database.all<Named & { sql: string }>(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
  )
  const described = tables.map(async (table) => [table.name, await describeTable(database, table)] as const)
  return Object.fromEntries(await Promise.all(described))
}

describe('the migrated schema', () => {
  test('equals the schema of a new database, which follows from the descriptions of the tables', async () => {
    const migrated = await open()
    const created = await open({ schema })
    expect(await describeAll(created)).toEqual(await describeAll(migrated))
    await Promise.all([migrated.close(), created.close()])
  })

  test('has the rows of a new database', async () => {
    const migrated = await open()
    const created = await open({ schema })
    for (const { name } of Object.values(tables)) {
      const rows = (database: Database) => database.all<object>(`SELECT * FROM ${name}`)
      const [first = {}] = await rows(migrated)
      const members = 'serverId' in first ? { ...first, serverId: expect.any(String) as string } : first
      expect([name, await rows(created)]).toEqual([name, Object.keys(members).length === 0 ? [] : [members]])
    }
    const names = 'SELECT position, name, appVersion FROM migrations'
    expect(await created.all(names)).toEqual(await migrated.all(names))
    await Promise.all([migrated.close(), created.close()])
  })

  test('has a form for PostgreSQL of each truth value that a migration adds', () => {
    const statements = migrations.flatMap(({ postgres = [] }) => postgres)
    const added = migrations.flatMap(({ up }) =>
      up.flatMap((sql) => {
        const [, table, column = ''] = /ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(sql) ?? []
        const described = Object.values(tables).find(({ name }) => name === table)
        const columns = described?.columns as Readonly<Record<string, { type: unknown }>> | undefined
        return String(columns?.[column]?.type) === 'BOOLEAN' ? [column] : []
      }),
    )
    const isGiven = (column: string) => statements.some((sql) => sql.includes(`"${column}"`) && sql.includes('BOOLEAN'))
    // Added before there was PostgreSQL, whose first databases had it.
    expect(added.filter((column) => !isGiven(column))).toEqual(['isLogMissing'])
  })

  test('deletes the rows of a tenant with the tenant, by foreign keys', async () => {
    const database = await open()
    const stored = await database.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    const orphaned: string[] = []
    for (const { name } of stored) {
      const keys = await database.all<{ from: string; on_delete: string }>(`PRAGMA foreign_key_list(${name})`)
      orphaned.push(...keys.filter((key) => key.on_delete !== 'CASCADE').map((key) => `${name}.${key.from}`))
    }
    // A device outlives its customer, an alert its rule, and the choice of who is on call the account of one of them.
    expect(orphaned.toSorted()).toEqual([
      'alert_settings.firstUserId',
      'alert_settings.secondUserId',
      'alerts.ruleId',
      'devices.customerId',
    ])
    await database.close()
  })

  test('is listed in docs/retention.md, table by table, with settings that exist', async () => {
    const database = await open()
    const text = await readFile(new URL('../../../../docs/retention.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| `([^`]+)` .*\|$/gm)].map(([row, name]) => ({ row, name }))
    const listed = rows.map(({ name }) => name!).filter((name) => /^[a-z_]+$/.test(name))
    const stored = await database.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    expect(listed).toEqual(stored.map(({ name }) => name))
    const settings = rows.flatMap(({ row }) => [...row.matchAll(/`Service_(\w+__\w+)`/g)].map(([, key]) => key!))
    const known = new Set(settingRows.map(({ key }) => key))
    expect(settings.filter((key) => !known.has(key))).toEqual([])
    await database.close()
  })
})
