import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openBare } from '../../../../server/engines/database/connection.ts'
import { importFrom } from '../../../../server/engines/database/postgres/import.ts'
import { exportTo } from '../../../../server/engines/database/postgres/transfer.ts'
import { createLog } from '../../../../server/ground/log.ts'
import { placeOf, postgresPrograms, runIn, startPostgres } from '../../../support/postgres.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { sharedTables } from './shared-rows.ts'
import { open, temporaryFolder } from './support.ts'

const programs = postgresPrograms()

const migrations = [
  {
    name: '0001-shared-rows',
    up: ['CREATE TABLE shared_rows (id TEXT PRIMARY KEY, name TEXT, value INTEGER, seen INTEGER) STRICT'],
  },
]

describe.skipIf(programs === undefined)('a move of data that was interrupted', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.remove())

  const options = {
    migrations,
    tables: sharedTables,
    appVersion: '1.0.0',
    log: createLog({ default: 'None' }),
    lockWaitMs: 5_000,
  }

  /** A file of 2,000 rows, and a database that has some of them. */
  const interrupt = async (name: string) => {
    const directory = await temporaryFolder()
    const database = await open({ directory, migrations })
    await database.close()
    const path = join(directory, 'farhand.db')
    const file = await openBare(path, 0)
    await file.exec(`WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 2000)
      INSERT INTO shared_rows SELECT 'row-' || i, 'name', i, 0 FROM numbers`)
    await runIn(placeOf(postgres.port, 'postgres'), `CREATE DATABASE ${name}`, [])
    const proxy = await cuttingProxy(postgres.port)
    // The first COMMIT stores the tables, three more store pages.
    proxy.cut(4)
    await expect(importFrom(path, placeOf(proxy.port, name).place, options)).rejects.toThrow(/lost|terminated/)
    const place = { ...placeOf(postgres.port, name), tables: sharedTables }
    const read = <Row>(sql: string) => runIn<Row>(place, sql, [])
    return { path, file, place: place.place, read, move: () => importFrom(path, place.place, options) }
  }
  const madeBy = "SELECT xmin::text AS made FROM shared_rows WHERE id = 'row-1'"

  test('to PostgreSQL goes on after the rows that are there, and refuses a server until then', async () => {
    const { file, place, read, move } = await interrupt('continued')
    await file.close()
    const before = await read(madeBy)
    expect(before).toHaveLength(1)
    const server = open({ postgres: { place, tables: sharedTables }, migrations, folderWaitMs: 5_000 })
    await expect(server).rejects.toThrow('run `move-database to-postgres` again')
    expect(await move()).toMatchObject([{ rows: 2_000 }])
    expect(await read(madeBy)).toEqual(before)
    expect(await read('SELECT count(*) AS count, sum(value) AS sum FROM shared_rows')).toEqual([
      { count: 2_000, sum: 2_001_000 },
    ])
    // As after a kill between the last commit and the renaming of the file.
    expect(await move()).toMatchObject([{ rows: 2_000 }])
  })

  test('to PostgreSQL begins anew with a table whose rows were changed since', async () => {
    const { file, read, move } = await interrupt('changed')
    await file.exec("UPDATE shared_rows SET name = 'changed' WHERE id = 'row-1'")
    await file.close()
    await move()
    expect(await read("SELECT name FROM shared_rows WHERE id = 'row-1'")).toEqual([{ name: 'changed' }])
    await read("UPDATE shared_rows SET name = 'by a server' WHERE id = 'row-1'")
    await expect(move()).rejects.toThrow('holds data of Farhand already')
  })

  test('to a file keeps the tables that are complete, and copies those anew whose rows were changed since', async () => {
    const { file, place, read, move } = await interrupt('exported')
    await file.close()
    await move()
    const path = join(await temporaryFolder(), 'farhand.db.partial')
    const exportVia = (port: number) => exportTo({ ...place, port }, sharedTables, path, { resumes: true })
    const inFile = async <Row>(sql: string) => {
      const copy = await openBare(path, 0)
      try {
        return await copy.all<Row>(sql)
      } finally {
        await copy.close()
      }
    }
    const interruptExport = async () => {
      const proxy = await cuttingProxy(postgres.port)
      proxy.cut(1)
      await expect(exportVia(proxy.port)).rejects.toThrow(/lost|terminated/)
      // Content stays equal: a later copy shows by the numbers of its rows whether it is the same one.
      await inFile('UPDATE shared_rows SET rowid = rowid + 100000')
    }
    const sum = 'SELECT count(*) AS count, sum(value) AS sum, min(rowid) > 100000 AS isKept FROM shared_rows'
    await interruptExport()
    expect(await exportVia(postgres.port)).toMatchObject([{ rows: 2_000 }])
    expect(await inFile(sum)).toEqual([{ count: 2_000, sum: 2_001_000, isKept: 1 }])
    expect(await inFile("SELECT 1 FROM sqlite_master WHERE name = 'unfinished_move'")).toEqual([])
    await interruptExport()
    await read("UPDATE shared_rows SET value = 0 WHERE id = 'row-2000'")
    await exportVia(postgres.port)
    expect(await inFile(sum)).toEqual([{ count: 2_000, sum: 1_999_000, isKept: 0 }])
  })
})
