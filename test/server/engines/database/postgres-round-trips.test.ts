import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Transaction } from 'sequelize'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { SqlValue } from '../../../../server/engines/database/connection.ts'
import type { PostgresOptions } from '../../../../server/engines/database/options.ts'
import { placeOf, postgresPrograms, runIn, startPostgres } from '../../../support/postgres.ts'
import { SharedRows, sharedTables } from './shared-rows.ts'
import { temporaryFolder } from './support.ts'

const programs = postgresPrograms()

type Query = (...args: unknown[]) => unknown
const real = pg.Client.prototype.query as Query

/** Place of the latest answer, and of the latest statement, in their longest chain. */
let [answered, longest] = [0, 0]

/** Notes the place of a statement; returns what notes its answer. */
function sent(): () => void {
  const place = answered + 1
  longest = Math.max(longest, place)
  return () => {
    answered = Math.max(answered, place)
  }
}

function counting(this: pg.Client, ...args: unknown[]): unknown {
  const [sql, settle] = [args[0], args.at(-1)]
  // No write waits for the questions for the commits of other servers.
  if (typeof sql === 'string' && sql.includes('SELECT 1; NOTIFY')) {
    return real.apply(this, args)
  }
  const note = sent()
  if (typeof settle === 'function') {
    const noting = (...answer: unknown[]): void => {
      note()
      ;(settle as Query)(...answer)
    }
    return real.apply(this, [...args.slice(0, -1), noting])
  }
  return (real.apply(this, args) as Promise<unknown>).finally(note)
}

/**
 * Counts the round trips of some work to PostgreSQL: the longest chain of statements of which each was sent after the answer
 * to the one before.
 */
async function roundTrips(work: () => Promise<unknown>): Promise<number> {
  answered = 0
  longest = 0
  await work()
  return longest
}

beforeAll(() => {
  pg.Client.prototype.query = counting as typeof pg.Client.prototype.query
  return () => {
    pg.Client.prototype.query = real as typeof pg.Client.prototype.query
  }
})

describe.skipIf(programs === undefined)('round trips to a PostgreSQL database', () => {
  let postgres: Awaited<ReturnType<typeof startPostgres>>
  beforeAll(async () => {
    postgres = await startPostgres(programs!)
  })
  afterAll(() => postgres.remove())

  const open = async (isShared: boolean) => {
    const name = `trips_${randomUUID().replaceAll('-', '')}`
    await runIn(placeOf(postgres.port, 'postgres'), `CREATE DATABASE ${name}`, [])
    const options: PostgresOptions = { place: placeOf(postgres.port, name).place, tables: sharedTables, isShared }
    const rows = await SharedRows.open(await temporaryFolder(), options)
    onTestFinished(() => rows.database.close())
    await rows.insert('a')
    // Connections of the pools are open, and statements known, before anything is counted.
    await rows.count('a')
    await rows.report('a', 1)
    // The answer to the release of the lock is not counted.
    await rows.database.catchUp()
    return rows
  }
  /** A write with a log: a change, and two statements that are added before its commit. */
  const logged = ({ database }: SharedRows, id: string) => {
    const insert = (transaction: Transaction, values: readonly SqlValue[]) =>
      database.allIn(transaction, 'INSERT INTO shared_rows (id, name) VALUES (?, ?)', values)
    const newest = database.atBegin<{ newest: string }>('SELECT max(id) AS newest FROM shared_rows')
    return async (transaction: Transaction) => {
      database.storeBeforeCommit(
        transaction,
        async (same) => {
          const [row] = await newest(same)
          return [insert(same, [`${id}-1`, row!.newest]), insert(same, [`${id}-2`, row!.newest])]
        },
        [id],
      )
      await insert(transaction, [id, id])
    }
  }

  test('a report takes one, alone and beside other servers', async () => {
    for (const isShared of [false, true]) {
      const rows = await open(isShared)
      expect(await roundTrips(() => rows.report('a', 2))).toBe(1)
      expect(await rows.database.all('SELECT seen FROM shared_rows')).toEqual([{ seen: 2 }])
    }
  })

  test('a write takes one for its change, its commit and what follows, and one for the lock of several servers', async () => {
    for (const [isShared, trips] of [
      [false, 3],
      [true, 4],
    ] as const) {
      const rows = await open(isShared)
      expect(await roundTrips(() => rows.count('a'))).toBe(trips)
      expect(await roundTrips(() => rows.database.write(logged(rows, 'b')))).toBe(trips)
      expect(await rows.database.all('SELECT id, name FROM shared_rows WHERE name <> id')).toEqual([
        { id: 'b-1', name: 'a' },
        { id: 'b-2', name: 'a' },
      ])
    }
  })

  test('a write that others share adds one for its change', async () => {
    const rows = await open(true)
    const write = (id: string) => rows.database.writeShared(logged(rows, id))
    expect(await roundTrips(() => Promise.all(['b', 'c', 'd'].map(write)))).toBeLessThanOrEqual(4 + 2)
  })
})

describe.skipIf(programs === undefined)('a statement before the commit that PostgreSQL rejects', () => {
  test('rejects its write with its error, keeps the connection, and lets others write', async () => {
    const postgres = await startPostgres(programs!)
    onTestFinished(() => postgres.remove())
    const options = { place: placeOf(postgres.port, 'postgres').place, tables: sharedTables, isShared: true }
    const rows = await SharedRows.open(await temporaryFolder(), options)
    onTestFinished(() => rows.database.close())
    await rows.insert('a')
    const { database } = rows
    const taken = (transaction: Transaction) =>
      database.allIn(transaction, "INSERT INTO shared_rows (id, name) VALUES ('a', '')")
    const write = database.write(async (transaction) => {
      database.storeBeforeCommit(transaction, async (same) => [taken(same)], ['a'])
      await database.allIn(transaction, "INSERT INTO shared_rows (id, name) VALUES ('b', '')")
    })
    await expect(write).rejects.toMatchObject({ code: '23505' })
    await rows.insert('c')
    expect(await database.all('SELECT id FROM shared_rows ORDER BY id')).toEqual([{ id: 'a' }, { id: 'c' }])
    expect(rows.reloads).toBe(0)
  })
})
