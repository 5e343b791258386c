import { expect, test } from 'vitest'
import { actorOf, actorOfUser } from '../../../server/ground/actor.ts'
import { isNight } from '../../support/night.ts'
import { openAudit, stranger, withoutTriggers } from './scene.ts'

const system = actorOf(undefined, null)
const dayMs = 24 * 60 * 60 * 1000

test('events past the retention are removed, and a sealed stub lets the chain hold', async () => {
  const { audit, clock, rows, verify, database, edit } = await openAudit()
  for (const version of ['1', '2', '3', '4']) {
    await audit.record(system, { kind: 'server.started', details: { version } })
    clock.advance(dayMs)
  }
  expect(await audit.cut(clock.now() - 2.5 * dayMs)).toBe(2)
  expect((await rows()).map(({ id }) => id)).toEqual([3, 4])
  expect(await database.all('SELECT firstId, lastId FROM audit_stubs')).toEqual([{ firstId: 1, lastId: 2 }])
  await audit.record(system, { kind: 'server.stopped' })
  expect(await verify()).toMatchObject({ holds: true, rows: 3, removed: 2, lastId: 5 })
  await expect(edit('DELETE FROM audit_events WHERE id = 3')).rejects.toThrow('audit log')
  await edit('DROP TRIGGER audit_stubs_never_change; UPDATE audit_stubs SET lastAt = lastAt + 1')
  expect(await verify()).toMatchObject({ holds: false, problem: 'The stub of the removed rows 1 to 2 was changed.' })
})

/** Log of three days, in whose second a clock was ten years off for a moment. */
async function openMarked(aheadMs: number) {
  const log = await openAudit()
  const { audit, clock } = log
  const record = (version: string) => audit.record(system, { kind: 'server.started', details: { version } })
  await record('1')
  await audit.mark(clock.now())
  clock.advance(dayMs)
  clock.set(aheadMs)
  await record('2')
  clock.set(0)
  await record('3')
  await audit.mark(clock.now())
  clock.advance(dayMs)
  await record('4')
  await audit.mark(clock.now())
  return log
}

test('events that a clock ten years ahead has stamped are removed once the log proves that they are old', async () => {
  const { audit, clock, rows, verify, database } = await openMarked(3650 * dayMs)
  expect(await audit.cut(clock.now() - 1.5 * dayMs)).toBe(1)
  expect(await audit.cut(clock.now() - dayMs / 2)).toBe(2)
  expect((await rows()).map(({ id }) => id)).toEqual([4])
  expect(await verify()).toMatchObject({ holds: true, rows: 1, removed: 3 })
  expect(await database.all('SELECT lastId FROM audit_marks')).toEqual([{ lastId: 4 }])
})

test('events before a moment in which the clock was ten years behind stay until they are old', async () => {
  const { audit, clock, rows } = await openMarked(-3650 * dayMs)
  expect(await audit.cut(clock.now() - 1.5 * dayMs)).toBe(2)
  expect((await rows()).map(({ id }) => id)).toEqual([3, 4])
})

test('a mark that was changed in the file removes nothing', async () => {
  const { audit, clock, rows, edit } = await openMarked(3650 * dayMs)
  await edit('UPDATE audit_marks SET at = 0')
  await audit.cut(clock.now() - 1.5 * dayMs)
  expect((await rows()).map(({ id }) => id)).toEqual([2, 3, 4])
})

test.each([
  ['row', "UPDATE audit_events SET actorName = 'nobody' WHERE id = 3", [3, 4], 'Row 3 was changed'],
  ['stub', 'UPDATE audit_stubs SET lastAt = lastAt + 1', [2, 3, 4], 'The stub of the removed rows 1 to 1 was changed'],
])('a %s that was changed in the file stops the removal of events there', async (_, change, kept, problem) => {
  const { audit, clock, rows, verify, edit } = await openAudit()
  for (const version of ['1', '2', '3', '4']) {
    await audit.record(system, { kind: 'server.started', details: { version } })
    clock.advance(dayMs)
  }
  expect(await audit.cut(clock.now() - 3.5 * dayMs)).toBe(1)
  await edit(`${withoutTriggers} ${change}`)
  await audit.cut(clock.now())
  expect((await rows()).map(({ id }) => id)).toEqual(kept)
  expect((await verify()).problem).toContain(problem)
})

test('a stub cannot be deleted, and without its trigger a missing one is noticed', async () => {
  const { audit, clock, verify, edit } = await openAudit()
  for (const version of ['1', '2', '3']) {
    await audit.record(system, { kind: 'server.started', details: { version } })
    clock.advance(dayMs)
    await audit.cut(clock.now())
  }
  await expect(edit('DELETE FROM audit_stubs')).rejects.toThrow('audit log')
  await edit(`${withoutTriggers} DELETE FROM audit_stubs WHERE lastId = 1`)
  expect(await verify()).toMatchObject({ holds: false, problem: 'The stub of the removed rows 2 to 2 was changed.' })
})

test('a row in the place of removed ones is noticed', async () => {
  const { audit, clock, verify, edit, rows } = await openAudit()
  await audit.record(system, { kind: 'server.started' })
  const [first] = await rows()
  await audit.record(system, { kind: 'server.stopped' })
  clock.advance(dayMs)
  await audit.cut(clock.now())
  const { at, hash, seal } = first!
  await edit(
    `${withoutTriggers} INSERT INTO audit_events (id, at, kind, outcome, count, actorKind, details, previous, hash, seal)
     VALUES (1, ${at}, 'server.started', 'success', 1, 'system', '{}', '', '${hash}', '${seal}')`,
  )
  expect(await verify()).toMatchObject({ holds: false, problem: 'Row 1 stands where rows were removed.' })
})

test('a retention that has passed for every event keeps the newest', async () => {
  const { audit, clock, rows, verify } = await openAudit()
  await audit.record(system, { kind: 'server.started' })
  await audit.record(system, { kind: 'server.stopped' })
  clock.advance(dayMs)
  expect(await audit.cut(clock.now())).toBe(1)
  expect((await rows()).map(({ id }) => id)).toEqual([2])
  expect(await verify()).toMatchObject({ holds: true, removed: 1 })
})

test('guesses of strangers past 20 an hour become one row with their number', async () => {
  const { audit, rows, verify } = await openAudit()
  const guess = { kind: 'sign-in.password', outcome: 'failure', details: { reason: 'Failed' } } as const
  await Promise.all(Array.from({ length: 1_000 }, () => audit.record(stranger, guess)))
  expect(await rows()).toHaveLength(20)
  await audit.storeCounts()
  const all = await rows()
  expect(all.map(({ count }) => count)).toEqual([...Array.from({ length: 20 }, () => 1), 980])
  expect(await verify()).toMatchObject({ holds: true, rows: 21 })
  // The budget of strangers does not limit signed-in people.
  const ada = actorOfUser(stranger, { id: 'ada', userName: 'ada@example.org', tenantId: 'a' })
  await audit.record(ada, { kind: 'sign-in.password' })
  expect((await rows()).at(-1)).toMatchObject({ actorName: 'ada@example.org', tenantId: 'a', address: '192.0.2.7' })
})

test.runIf(isNight)('events of changes are within the limit of their principal, too', async () => {
  const { audit, database, rows } = await openAudit()
  const ada = actorOfUser(stranger, { id: 'ada', userName: 'ada@example.org', tenantId: 'a' })
  const change = (by: typeof ada) =>
    database.write((transaction) =>
      audit.recordIn(
        transaction,
        by,
        Array.from({ length: 25_010 }, () => ({ kind: 'settings.tag-created' as const })),
      ),
    )
  await change(ada)
  expect(await rows()).toHaveLength(25_000)
  await audit.storeCounts()
  expect((await rows()).at(-1)).toMatchObject({ kind: 'settings.tag-created', count: 10, actorName: 'ada@example.org' })
  await change(system)
  expect(await rows()).toHaveLength(50_011)
})

test('an event noted inside a write is stored after it', async () => {
  const { audit, database, rows } = await openAudit()
  await database.write(async () => audit.note(system, { kind: 'server.stopped' }))
  await audit.settled()
  expect((await rows()).map(({ kind }) => kind)).toEqual(['server.stopped'])
})
