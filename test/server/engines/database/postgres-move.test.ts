import { execFileSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { moveDatabaseCommand } from '../../../../server/backup/move-database.command.ts'
import { importRestored } from '../../../../server/backup/restored-database.ts'
import { openBare } from '../../../../server/engines/database/connection.ts'
import { migrations as allMigrations } from '../../../../server/engines/database/migrations/index.ts'
import { importFrom } from '../../../../server/engines/database/postgres/import.ts'
import { exportTo } from '../../../../server/engines/database/postgres/transfer.ts'
import { createLog } from '../../../../server/ground/log.ts'
import { loadConfig } from '../../../../server/settings/config.ts'
import { placeOf, postgresPrograms, runIn, startPostgres } from '../../../support/postgres.ts'
import { mountSmallDisk } from '../../../support/small-disk.ts'
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

  test('with a full data folder is rejected in both directions, leaves nothing there, and is finished by the next run', async ({
    skip,
  }) => {
    const disk = await mountSmallDisk('24M')
    skip(disk === undefined, 'This user may not mount a file system.')
    const { folder, fill, clear } = disk!
    await (await open({ directory: folder, migrations: allMigrations })).close()
    await runIn(placeOf(postgres.port, 'postgres'), 'CREATE DATABASE moved', [])
    const settings = { POSTGRES_HOST: '127.0.0.1', POSTGRES_PORT: String(postgres.port), POSTGRES_USER: 'farhand' }
    const move = async (word: string) => {
      const env = { ...settings, POSTGRES_DB: 'moved', DataDirectory: folder }
      const prefixed = Object.fromEntries(Object.entries(env).map(([key, value]) => [`Service_${key}`, value]))
      return moveDatabaseCommand([word], { say: () => {}, loadConfig: () => loadConfig({ env: prefixed }) })
    }
    for (const word of ['to-postgres', 'to-file']) {
      fill(200 * 1024)
      await expect(move(word)).rejects.toThrow(`The data folder ${folder} cannot be used, its disk is full: make room`)
      expect(readdirSync(folder).filter((name) => name.includes('.import'))).toEqual([])
      clear()
      expect(await move(word)).toBe(0)
    }
  })

  test('after a restore names the full disk of the database server, and is finished by the next start', async ({
    skip,
  }) => {
    const disk = await mountSmallDisk('24M')
    skip(disk === undefined, 'This user may not mount a file system.')
    execFileSync('chown', ['postgres', disk!.folder])
    const shell = placeOf(postgres.port, 'postgres')
    await runIn(shell, `CREATE TABLESPACE small LOCATION '${disk!.folder}'`, [])
    await runIn(shell, 'CREATE DATABASE restored TABLESPACE small', [])
    onTestFinished(async () => {
      await runIn(shell, 'DROP DATABASE restored', [])
      await runIn(shell, 'DROP TABLESPACE small', [])
    })
    const directory = await temporaryFolder()
    const database = await open({ directory, migrations })
    await database.close()
    const file = await openBare(join(directory, 'farhand.db'), 0)
    await file.exec(`WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < 200)
      INSERT INTO shared_rows SELECT 'row-' || i, hex(randomblob(2000)), i, 0 FROM numbers`)
    await file.close()
    const note = { createdAt: '2026-11-30T12:00:00Z', computer: 'other', restoredAt: 0 }
    writeFileSync(join(directory, 'restored.json'), JSON.stringify(note))
    const place = { ...placeOf(postgres.port, 'restored'), tables: sharedTables }
    const start = () => importRestored({ ...options, directory, postgres: place })
    disk!.fill(1024 * 1024)
    await expect(start()).rejects.toThrow('Make room on the disk of the database server.')
    disk!.clear()
    await start()
    expect(await runIn(place, 'SELECT count(*) AS count FROM shared_rows', [])).toEqual([{ count: 200 }])
  })
})
