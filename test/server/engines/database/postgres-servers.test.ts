import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { QueryTypes } from 'sequelize'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { PostgresOptions } from '../../../../server/engines/database/options.ts'
import { writeLock } from '../../../../server/engines/database/postgres/locks.ts'
import { isNight } from '../../../support/night.ts'
import { placeOf, postgresPrograms, runIn, startPostgres } from '../../../support/postgres.ts'
import { until } from '../../../support/until.ts'
import { SharedRows, sharedTables, type SharedRow } from './shared-rows.ts'
import { startProcess, temporaryFolder } from './support.ts'

const programs = postgresPrograms()

describe.skipIf(programs === undefined)('several servers of one PostgreSQL database', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.remove())

  const makePlace = async (): Promise<PostgresOptions> => {
    const name = `shared_${randomUUID().replaceAll('-', '')}`
    await runIn(placeOf(postgres.port, 'postgres'), `CREATE DATABASE ${name}`, [])
    return { place: placeOf(postgres.port, name).place, tables: sharedTables, isShared: true }
  }
  const open = async (options: PostgresOptions) => {
    const rows = await SharedRows.open(await temporaryFolder(), options)
    onTestFinished(() => rows.database.close())
    return rows
  }
  /** Two servers that start at the same time on an empty database. */
  const openTwo = async () => {
    const options = await makePlace()
    const [one, other] = await Promise.all([open(options), open(options)])
    return { options, one, other }
  }
  const stored = (options: PostgresOptions) => runIn<SharedRow>(options, 'SELECT * FROM shared_rows ORDER BY id', [])
  const inDatabase = (options: PostgresOptions, sql: string) => runIn<{ pid: number }>(options, sql, [])
  /** Ends the connection that writes and follows, of one server. */
  const cutWriter = async (options: PostgresOptions, rows: SharedRows) => {
    const [found] = await rows.database.write(async (transaction) => {
      const pid = 'SELECT pg_backend_pid() AS pid'
      return rows.database.sequelize.query<{ pid: number }>(pid, { type: QueryTypes.SELECT, transaction })
    })
    await inDatabase(options, `SELECT pg_terminate_backend(${found?.pid}) AS pid`)
  }

  test('no write is lost in random histories of read, check and write', async () => {
    const { options, one, other } = await openTwo()
    const servers = [one, other]
    const step = fc.record({
      server: fc.nat(1),
      kind: fc.constantFrom('count', 'claim', 'resign'),
      of: fc.nat(2),
    })
    let history = 0
    const check = async (steps: { server: number; kind: string; of: number }[]) => {
      const own = (history += 1)
      const counter = `counter-${own}`
      const holders = [0, 1, 2].map((index) => `holder-${own}-${index}`)
      await Promise.all([
        one.insert(counter),
        ...holders.map((id, index) => servers[index % 2]!.insert(id, `right-${own}`, 1)),
      ])
      const results = await Promise.all(
        steps.map(async ({ server, kind, of }, index) => {
          const rows = servers[server]!
          if (kind === 'count') {
            return { kind, result: await rows.count(counter) }
          }
          return kind === 'claim'
            ? { kind, result: (await rows.claimName(`name-${own}-${index}`, `name-${own}-${of}`)) && of }
            : { kind, result: await rows.resign(holders[of]!) }
        }),
      )
      const of = (kind: string) => results.filter((each) => each.kind === kind).map(({ result }) => result)
      const counted = of('count').map(Number)
      expect(counted.toSorted((a, b) => a - b)).toEqual(counted.map((_, index) => index + 1))
      const claimed = of('claim').filter((result) => result !== false)
      expect(claimed).toHaveLength(new Set(steps.filter(({ kind }) => kind === 'claim').map((each) => each.of)).size)
      expect(of('resign').filter(Boolean).length).toBeLessThanOrEqual(2)
    }
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 8 }), check), {
      numRuns: isNight ? 1_000 : 10,
      endOnFailure: true,
    })
    await Promise.all(servers.map(({ database }) => database.catchUp()))
    const rows = await stored(options)
    const inMemory = ({ rows: held }: SharedRows) => [...held.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(inMemory(one)).toEqual(rows)
    expect(inMemory(other)).toEqual(rows)
    const names = rows.filter(({ id }) => id.startsWith('name-')).map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    const rights = Map.groupBy(
      rows.filter(({ id }) => id.startsWith('holder-')),
      ({ name }) => name,
    )
    expect([...rights.values()].filter((held) => held.every(({ value }) => value === 0))).toEqual([])
  })

  test('another server sees a commit, a report of a device within seconds', async () => {
    const { one, other } = await openTwo()
    await one.insert('row')
    await until(() => other.rows.has('row'))
    await one.report('row', 7)
    await until(() => other.rows.get('row')?.seen === 7)
    await other.count('row')
    await one.database.catchUp()
    expect(one.rows.get('row')?.value).toBe(1)
  })

  test('a server that is killed while it writes loses no answered write, and others go on', async () => {
    const { options, one } = await openTwo()
    await one.insert('counter')
    const { port } = postgres
    const child = startProcess('./counting-process.ts', await temporaryFolder(), String(port), options.place.name)
    expect(await child.firstLine).toBe('ready')
    const own: number[] = []
    const counting = (async () => {
      while (child.lines.length < 50) {
        own.push(await one.count('counter'))
      }
    })()
    await counting
    await child.kill()
    const last = await one.count('counter')
    const answered = [...own, ...child.lines.slice(1).map(Number)]
    expect(new Set(answered).size).toBe(answered.length)
    // The transaction that was killed may be stored without an answer.
    expect(last - 1 - answered.length).toBeOneOf([0, 1])
  })

  test('a server whose connection is lost is not current until it has read what it missed', async () => {
    const { options, one, other } = await openTwo()
    await one.insert('before')
    await cutWriter(options, other)
    await until(() => !other.database.isCurrent())
    await one.insert('meanwhile')
    await expect(
      other.claimName('taken', 'meanwhile').catch((error: { code?: string }) => error.code),
    ).resolves.toBeOneOf([false, '08006', '57P01'])
    await until(() => other.database.isCurrent())
    expect(other.rows.has('meanwhile')).toBe(true)
    expect(one.database.isCurrent()).toBe(true)
  })

  test('a server writes in its turn while two others always hold or await the lock of writes', async () => {
    const options = await makePlace()
    const rows = await open(options)
    const waiting = `SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = ${writeLock[0]}
      AND objid = ${writeLock[1]} AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    const enough = 1_000
    // A holder waits for the other one and for the server, so that no hold passes while the server is not in the queue.
    const holdAgainAndAgain = `DO $$ BEGIN
      WHILE (SELECT last_value FROM holds) < ${enough} LOOP
        PERFORM pg_advisory_lock(${writeLock.join()});
        WHILE (SELECT last_value FROM holds) < ${enough} AND (${waiting}) < 2 LOOP PERFORM pg_sleep(0.01); END LOOP;
        PERFORM nextval('holds'), pg_sleep(0.1), pg_advisory_unlock(${writeLock.join()});
      END LOOP;
    END $$`
    await inDatabase(options, 'CREATE SEQUENCE holds')
    const others = [1, 2].map(() => inDatabase(options, holdAgainAndAgain))
    try {
      for (const id of ['a', 'b', 'c']) {
        await rows.insert(id)
      }
      const [next] = await runIn<{ holds: unknown }>(options, "SELECT nextval('holds') - 1 AS holds", [])
      // A write waits for two holds, and for two more if the machine was too busy for its first attempt.
      expect(Number(next?.holds)).toBeLessThanOrEqual(3 * 4)
    } finally {
      await inDatabase(options, `SELECT setval('holds', ${enough})`)
      await Promise.all(others)
    }
  })

  test('a server without Redis is rejected while joined servers run, and joined servers while it runs', async () => {
    const { options } = await openTwo()
    const rejected = 'is in use by another running Farhand'
    await expect(open({ ...options, isShared: false })).rejects.toThrow(`${rejected}. Stop`)
    const single = await makePlace()
    await open({ ...single, isShared: false })
    await expect(open(single)).rejects.toThrow(`${rejected} that was started without Service_Cluster__RedisUrl. Stop`)
  })

  test('a frozen server loses the lock, and its transaction is undone', async () => {
    const { options, one, other } = await openTwo()
    await one.insert('counter')
    await until(() => other.rows.has('counter'))
    const begun = Promise.withResolvers<void>()
    const thawed = Promise.withResolvers<void>()
    const frozen = other.database.write(async (transaction) => {
      await other.database.sequelize.query("UPDATE shared_rows SET value = 100 WHERE id = 'counter'", { transaction })
      begun.resolve()
      await thawed.promise
    })
    await begun.promise
    expect(await one.count('counter')).toBe(1)
    thawed.resolve()
    await expect(frozen).rejects.toThrow(/connection/i)
    expect((await stored(options))[0]?.value).toBe(1)
  })
})
