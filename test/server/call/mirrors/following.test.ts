import { beforeAll, describe, expect, test } from 'vitest'
import { tables } from '../../../../server/call/models.ts'
import { enroll } from '../../../support/agent.ts'
import { ownerForFile, serverForFile, useTestServer } from '../../../support/server.ts'
import { belongingWrites } from './writes/belonging.ts'
import { deviceWrites } from './writes/devices.ts'
import { namedWrites } from './writes/named.ts'
import { peopleWrites } from './writes/people.ts'
import { rightsWrites } from './writes/rights.ts'
import type { Prepare, Writes } from './writes/write.ts'
import { isNight } from '../../../support/night.ts'

const writes: Writes = { ...belongingWrites, ...deviceWrites, ...namedWrites, ...peopleWrites, ...rightsWrites }

const server = serverForFile()
const owner = ownerForFile(server)
beforeAll(async () => {
  await enroll(owner)
})

describe('the mirrors equal the database', () => {
  test.each(Object.entries(writes))('after %s', async (_, prepare) => {
    const { act } = await prepare(owner)
    await act()
    expect(await server.differences()).toEqual([])
  })

  /** A small seeded generator, so that a failure can be repeated. */
  function shuffled<T>(items: readonly T[], seed: number): T[] {
    let state = seed
    const random = () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31
    return items
      .map((item) => ({ item, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ item }) => item)
  }

  test.runIf(isNight).each([1, 2, 3])(
    'after random sequences of writes, some at the same time (seed %i)',
    async (seed) => {
      const another = await useTestServer()
      const member = await another.owner()
      await enroll(member)
      const act = async (prepare: Prepare) => (await prepare(member)).act()
      const rows = shuffled(Object.values(writes), seed)
      for (let at = 0; at < rows.length; at += 4) {
        await Promise.all(rows.slice(at, at + 4).map(act))
        expect(await another.differences()).toEqual([])
      }
    },
  )

  test('while writes are in progress', async () => {
    const create = (_: unknown, index: number) =>
      owner.users.create({ tenantId: owner.tenantId, body: { userName: `user${index}@example.org` } })
    let isRunning = true
    const created = Promise.all(Array.from({ length: 10 }, create)).finally(() => (isRunning = false))
    const found: string[] = []
    while (isRunning) {
      found.push(...(await server.differences()))
    }
    await created
    expect(found).toEqual([])
  })

  test('after a restart', async () => {
    await server.restart()
    expect(await server.differences()).toEqual([])
  })
})

test('every table of the database is declared as mirrored or not', async () => {
  const all = server.database
    ? "pg_tables WHERE schemaname = 'farhand' AND tablename <> 'migrations'"
    : "sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations'"
  const stored = await server.rows<{ count: number }>(`SELECT count(*) AS count FROM ${all}`)
  expect(Object.keys(tables).length).toBe(stored[0]?.count)
})
