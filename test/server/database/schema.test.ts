import { readFile } from 'node:fs/promises'
import type { Model, ModelStatic } from 'sequelize'
import { describe, expect, test } from 'vitest'
import { settingRows } from '../../../server/settings/keys.ts'
import { openDatabase } from '../../../server/database/database.ts'
import { createLog } from '../../../server/ground/log.ts'
import { migrations } from '../../../server/database/migrations/index.ts'
import { bindModels } from '../../../server/call/models.ts'
import { temporaryFolder } from '../../support/server-process.ts'

interface Column {
  name: string
  type: string
  notnull: 0 | 1
  pk: number
}

/** SQLite's column type for each type of the models. */
const storedAs: Record<string, string> = { TEXT: 'TEXT', INTEGER: 'INTEGER', BOOLEAN: 'INTEGER', REAL: 'REAL' }

async function openMigrated() {
  const directory = await temporaryFolder()
  const database = await openDatabase({
    directory,
    migrations,
    appVersion: '1.0.0',
    log: createLog({ default: 'None' }),
  })
  return { database, models: bindModels(database.sequelize) }
}

describe('the migrated schema', () => {
  test('has a table for each model with exactly its columns', async () => {
    const { database, models } = await openMigrated()
    for (const model of Object.values(models) as ModelStatic<Model>[]) {
      const table = model.getTableName() as string
      const columns = await database.all<Column>(`PRAGMA table_info(${table})`)
      const stored = columns.map(({ name, type, notnull, pk }) => ({
        name,
        type,
        isRequired: notnull === 1,
        isKey: pk > 0,
      }))
      const modelled = Object.values(model.getAttributes()).map((attribute) => ({
        name: attribute.field!,
        type: storedAs[(attribute.type as { key: string }).key]!,
        isRequired: attribute.allowNull === false || attribute.primaryKey === true,
        isKey: attribute.primaryKey === true,
      }))
      const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name)
      expect([table, modelled.toSorted(byName)]).toEqual([table, stored.toSorted(byName)])
    }
    await database.close()
  })

  test('has no table without a model but the list of migrations', async () => {
    const { database, models } = await openMigrated()
    const tables = await database.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    const known = Object.values(models).map((model) => model.getTableName() as string)
    expect(tables.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual(['migrations'])
    await database.close()
  })

  test('deletes the rows of a tenant with the tenant, by foreign keys', async () => {
    const { database } = await openMigrated()
    const tables = await database.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
    const orphaned: string[] = []
    for (const { name } of tables) {
      const keys = await database.all<{ from: string; on_delete: string }>(`PRAGMA foreign_key_list(${name})`)
      orphaned.push(...keys.filter((key) => key.on_delete !== 'CASCADE').map((key) => `${name}.${key.from}`))
    }
    // A device outlives its customer.
    expect(orphaned).toEqual(['devices.customerId'])
    await database.close()
  })

  test('is listed in docs/retention.md, table by table, with settings that exist', async () => {
    const { database } = await openMigrated()
    const text = await readFile(new URL('../../../docs/retention.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| `([^`]+)` .*\|$/gm)].map(([row, name]) => ({ row, name }))
    const listed = rows.map(({ name }) => name!).filter((name) => /^[a-z_]+$/.test(name))
    const tables = await database.all<{ name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    expect(listed).toEqual(tables.map(({ name }) => name))
    const settings = rows.flatMap(({ row }) => [...row.matchAll(/`(\w+__\w+)`/g)].map(([, key]) => key!))
    const known = new Set(settingRows.map(({ key }) => key))
    expect(settings.filter((key) => !known.has(key))).toEqual([])
    await database.close()
  })
})
