import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Transaction } from 'sequelize'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { configOf } from '../../../../server/engines/database/postgres/connections.ts'
import type { PostgresOptions } from '../../../../server/engines/database/options.ts'
import { clientError } from '../../../../server/ground/errors.ts'
import { placeOf, postgresPrograms, runIn, startPostgres } from '../../../support/postgres.ts'
import { mountSmallDisk } from '../../../support/small-disk.ts'
import { until } from '../../../support/until.ts'
import { cuttingProxy } from './cutting-proxy.ts'
import { SharedRows, sharedTables } from './shared-rows.ts'
import { temporaryFolder } from './support.ts'

const programs = postgresPrograms()

/** Status and sentence with which a failed write is answered. */
const answerTo = (write: Promise<unknown>) =>
  write.then(
    () => 'stored',
    (error: unknown) => `${clientError(error)?.status} ${clientError(error)?.message}`,
  )

describe.skipIf(programs === undefined)('failures of PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.remove())

  const makePlace = async (port = postgres.port): Promise<PostgresOptions> => {
    const name = `failing_${randomUUID().replaceAll('-', '')}`
    await runIn(placeOf(postgres.port, 'postgres'), `CREATE DATABASE ${name}`, [])
    return { place: placeOf(port, name).place, tables: sharedTables }
  }
  const open = async (options: PostgresOptions) => {
    const rows = await SharedRows.open(await temporaryFolder(), options)
    onTestFinished(() => rows.database.close())
    return rows
  }
  /** A session of an administrator. */
  const shell = async (options: PostgresOptions) => {
    const client = new pg.Client(configOf(options.place))
    await client.connect()
    onTestFinished(() => client.end())
    return client
  }
  /** Process that waits for a lock of a row. */
  const waiting = (options: PostgresOptions) =>
    until(async () => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
      return (await runIn<{ pid: number }>(options, sql, []))[0]?.pid
    })
  const values = (rows: SharedRows) =>
    rows.database.all<{ id: string; value: number }>('SELECT id, value FROM shared_rows ORDER BY id')
  /** Changes two rows in one write. */
  const changeBoth = ({ database }: SharedRows) =>
    database.write(async (transaction) => {
      for (const id of ['b', 'a']) {
        await database.sequelize.query('UPDATE shared_rows SET value = value + 1 WHERE id = ?', {
          replacements: [id],
          transaction,
        })
      }
    })
  const openWithRows = async () => {
    const options = await makePlace()
    const rows = await open(options)
    await rows.insert('a')
    await rows.insert('b')
    return { options, rows }
  }

  test('a write that deadlocks with another program is undone and answered with 503', async () => {
    const { options, rows } = await openWithRows()
    const other = await shell(options)
    await other.query("BEGIN; UPDATE shared_rows SET value = value + 10 WHERE id = 'a'")
    const answer = answerTo(changeBoth(rows))
    await waiting(options)
    await other.query("UPDATE shared_rows SET value = value + 10 WHERE id = 'b'")
    await other.query('COMMIT')
    expect(await answer).toMatch(/^503 .*busy.*not done/)
    expect((await values(rows)).map(({ value }) => value)).toEqual([10, 10])
    await changeBoth(rows)
    expect(rows.rows.get('a')?.value).toBe(11)
  })

  test('a statement that takes too long is undone and answered with 503', async () => {
    const { options, rows } = await openWithRows()
    const other = await shell(options)
    await other.query("BEGIN; UPDATE shared_rows SET value = value + 10 WHERE id = 'a'")
    const answer = answerTo(changeBoth(rows))
    // As after its limit of time.
    await other.query(`SELECT pg_cancel_backend(${await waiting(options)})`)
    expect(await answer).toMatch(/^503 .*busy.*not done/)
    await other.query('ROLLBACK')
    expect((await values(rows)).map(({ value }) => value)).toEqual([0, 0])
  })

  test('a batch that the database undoes because of others is stored by its next run', async () => {
    const { options, rows } = await openWithRows()
    await runIn(options, 'CREATE SEQUENCE runs', [])
    const other = await shell(options)
    await other.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('farhand.runs') < 3 THEN RAISE EXCEPTION 'undone' USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;
      CREATE TRIGGER fail BEFORE UPDATE ON shared_rows FOR EACH ROW EXECUTE FUNCTION fail()`)
    expect(await rows.report('a', 5)).toEqual({ changes: 1 })
    expect(await rows.database.all('SELECT seen FROM shared_rows WHERE id = ?', ['a'])).toEqual([{ seen: 5 }])
    await other.query('ALTER SEQUENCE runs RESTART')
    const { sequelize } = rows.database
    const also = (transaction: Transaction) =>
      sequelize.query("INSERT INTO shared_rows (id, name) VALUES ('also', '')", { transaction }).then(() => {})
    expect(await rows.report('a', 6, also)).toEqual({ changes: 1 })
    expect(await rows.database.all('SELECT id, seen FROM shared_rows ORDER BY id')).toEqual([
      { id: 'a', seen: 6 },
      { id: 'also', seen: 0 },
      { id: 'b', seen: 0 },
    ])
  })

  test('a write that catches the error of a statement is rejected alone', async () => {
    const { rows } = await openWithRows()
    const { database } = rows
    const insert = (id: string) =>
      database.writeShared((transaction) =>
        database.sequelize.query('INSERT INTO shared_rows (id, name) VALUES (?, ?)', {
          replacements: [id, id],
          transaction,
        }),
      )
    const caught = (transaction: Transaction) =>
      database.sequelize.query("INSERT INTO shared_rows (id, name) VALUES ('a', '')", { transaction }).catch(() => {})
    const results = await Promise.allSettled([insert('c'), database.writeShared(caught), insert('d')])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await values(rows)).map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd'])
    await expect(database.write(caught)).rejects.toThrow('A statement of the transaction failed')
  })

  test('a hook does not run when PostgreSQL rejects the commit', async () => {
    const { options, rows } = await openWithRows()
    const other = await shell(options)
    await other.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.value > 1 THEN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END IF; RETURN NULL; END $$;
      CREATE CONSTRAINT TRIGGER refuse AFTER UPDATE ON shared_rows DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW EXECUTE FUNCTION refuse()`)
    const heard: number[] = []
    const set = (value: number) =>
      rows.database.write(async (transaction) => {
        // The mirror is current when the hook runs.
        rows.database.afterCommit(transaction, () => heard.push(rows.rows.get('a')!.value))
        await rows.database.allIn(transaction, 'UPDATE shared_rows SET value = ? WHERE id = ?', [value, 'a'])
      })
    await expect(set(2)).rejects.toThrow('refused')
    await set(1)
    expect(heard).toEqual([1])
    expect(await values(rows)).toMatchObject([{ id: 'a', value: 1 }, { id: 'b' }])
  })

  test('a read whose connection is lost is repeated', async () => {
    const { options, rows } = await openWithRows()
    const reading = rows.database.all<{ done: string }>("SELECT pg_sleep(0.5)::text AS done, 'reading' AS what")
    const pid = await until(async () => {
      const sql = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%reading%' AND wait_event = 'PgSleep'"
      return (await runIn<{ pid: number }>(options, sql, []))[0]?.pid
    })
    await runIn(options, `SELECT pg_terminate_backend(${pid})`, [])
    expect(await reading).toHaveLength(1)
  })

  test('a write whose COMMIT is not answered may be stored: its answer says so, and it is not repeated', async () => {
    const proxy = await cuttingProxy(postgres.port)
    const options = await makePlace(proxy.port)
    const rows = await open(options)
    await rows.insert('a')
    proxy.cut(1)
    expect(await answerTo(rows.count('a'))).toMatch(/^503 .*Look whether it is there/)
    await until(() => rows.rows.get('a')?.value === 1)
    expect(rows.reloads).toBe(1)
    expect(await rows.count('a')).toBe(2)
  })

  test('a write whose connection is lost in its middle stores nothing on the next connection', async () => {
    const { options, rows } = await openWithRows()
    const { database } = rows
    const insert = (transaction: Transaction) =>
      database.allIn(transaction, "INSERT INTO shared_rows (id, name) VALUES ('c', '') RETURNING id AS key")
    const write = database.write(async (transaction) => {
      const [session] = await database.allIn<{ pid: number }>(transaction, 'SELECT pg_backend_pid() AS pid')
      await runIn(options, `SELECT pg_terminate_backend(${session!.pid})`, [])
      let attempts = 0
      // The first attempts may come before the end of the connection is known.
      await until(async () => {
        await insert(transaction).catch(() => {})
        return ++attempts === 10
      })
      await insert(transaction)
    })
    expect(await answerTo(write)).toMatch(/^503 /)
    expect((await values(rows)).map(({ id }) => id)).toEqual(['a', 'b'])
  })

  test('a full disk is answered with 507, and nothing is half done', async ({ skip }) => {
    const disk = await mountSmallDisk('24M')
    skip(disk === undefined, 'This user may not mount a file system.')
    execFileSync('chown', ['postgres', disk!.folder])
    const { options, rows } = await openWithRows()
    const other = await shell(options)
    await other.query(`CREATE TABLESPACE small LOCATION '${disk!.folder}'`)
    await other.query('ALTER TABLE shared_rows SET TABLESPACE small')
    onTestFinished(async () => {
      await runIn(options, 'DROP TABLE shared_rows', [])
      await runIn(options, 'DROP TABLESPACE small', [])
    })
    disk!.fill()
    const large = 'x'.repeat(2_000)
    const fill = () =>
      rows.database.write(async (transaction) => {
        await rows.database.sequelize.query("UPDATE shared_rows SET value = 7 WHERE id = 'a'", { transaction })
        await rows.database.sequelize.query(
          "INSERT INTO shared_rows (id, name) SELECT 'row-' || i, ? || i FROM generate_series(1, 2000) AS i",
          { replacements: [large], transaction },
        )
      })
    expect(await answerTo(fill())).toMatch(/^507 .*disk of the database server is full/)
    expect((await values(rows)).map(({ value }) => value)).toEqual([0, 0])
    disk!.clear()
    await fill()
    expect(rows.rows.get('a')?.value).toBe(7)
  })
})
