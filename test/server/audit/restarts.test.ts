import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actorOf, actorOfUser } from '../../../server/ground/actor.ts'
import { openAudit, stranger, withoutTriggers } from './scene.ts'

const system = actorOf(undefined, null)
const ada = actorOfUser(stranger, { id: 'ada', userName: 'ada@example.org', tenantId: 'a' })
const device = { id: 'd1', tenantId: 'a', name: 'LAB-7' }

test('sessions that a killed server left open get their end at the next start, once', async () => {
  const { audit, open, rows, verify, clock } = await openAudit()
  await audit.begin(system, '1')
  for (const sessionId of ['s1', 's2']) {
    await audit.record(ada, { kind: 'session.began', device, details: { session: 'terminal', sessionId } })
  }
  await audit.record(ada, { kind: 'session.ended', device, details: { session: 'terminal', sessionId: 's1' } })
  clock.advance(60_000)
  await open().begin(system, '2')
  await open().begin(system, '3')
  const ends = (await rows()).filter(({ kind }) => kind === 'session.ended')
  expect(ends.map(({ details }) => JSON.parse(details))).toEqual([
    { session: 'terminal', sessionId: 's1' },
    { session: 'terminal', sessionId: 's2', reason: 'The server stopped without ending it.' },
  ])
  expect(ends[1]).toMatchObject({ actorName: 'ada@example.org', deviceName: 'LAB-7', tenantId: 'a', at: clock.now() })
  expect(await verify()).toMatchObject({ holds: true, rows: 7 })
})

const emptied = `${withoutTriggers} DELETE FROM audit_events; DELETE FROM audit_head;`

test('an emptied log is noticed by the note beside the database, and the next start records it for good', async () => {
  const { audit, open, rows, verify, edit, clock } = await openAudit()
  await audit.begin(system, '1')
  await audit.record(system, { kind: 'server.stopped' })
  await audit.noteHead()
  await edit(emptied)
  const problem =
    'The log ends at row 0, and this server wrote row 2. The log was emptied, or an older copy of the database was put back.'
  expect(await verify()).toMatchObject({ holds: false, problem, lostAt: null })
  await open().begin(system, '2')
  expect((await rows()).map(({ kind, details }) => [kind, JSON.parse(details)])).toEqual([
    ['server.audit-log-lost', { problem }],
    ['server.started', { version: '2' }],
  ])
  expect(await verify()).toMatchObject({ holds: true, lostAt: clock.now() })
})

const withoutDeletionTriggers = 'DROP TRIGGER audit_events_stay; DROP TRIGGER audit_head_stays;'

test('a log that was emptied after a cut of its retention begins behind the cut, and records the loss', async () => {
  const { audit, open, rows, verify, edit, clock } = await openAudit()
  await audit.begin(system, '1')
  await audit.record(system, { kind: 'server.stopped' })
  clock.advance(60_000)
  await audit.record(system, { kind: 'server.stopped' })
  await audit.cut(clock.now())
  await audit.noteHead()
  await edit(`${withoutDeletionTriggers} DELETE FROM audit_events; DELETE FROM audit_head;`)
  await open().begin(system, '2')
  expect((await rows()).map(({ id, kind }) => [id, kind])).toEqual([
    [3, 'server.audit-log-lost'],
    [4, 'server.started'],
  ])
  expect(await verify()).toMatchObject({ holds: true, removed: 2, lostAt: clock.now() })
})

test('a log without its newest rows goes on behind them, and the gap stays visible', async () => {
  const { audit, open, verify, edit } = await openAudit()
  await audit.begin(system, '1')
  await audit.record(system, { kind: 'server.stopped' })
  await audit.record(system, { kind: 'server.stopped' })
  await edit(`${withoutDeletionTriggers} DELETE FROM audit_events WHERE id > 1`)
  await open().begin(system, '2')
  expect(await verify()).toMatchObject({ holds: false, problem: 'The rows 2 to 3 are missing.' })
})

test('an older copy that was put back is noticed once it has as many rows again', async () => {
  const { audit, open, verify, edit, database } = await openAudit()
  await audit.begin(system, '1')
  const before = await database.all<{ lastId: number; hash: string; seal: string }>('SELECT * FROM audit_head')
  await audit.record(system, { kind: 'server.stopped' })
  await audit.noteHead()
  // Content of the file after the first row.
  const { hash, seal } = before[0]!
  const head = `UPDATE audit_head SET lastId = 1, hash = '${hash}', seal = '${seal}'`
  await edit(`${withoutTriggers} DELETE FROM audit_events WHERE id = 2; ${head}`)
  await open().record(ada, { kind: 'sign-in.ended' })
  expect(await verify()).toMatchObject({
    holds: false,
    problem:
      'Row 2 is another one than this server wrote. The log was emptied, or an older copy of the database was put back.',
  })
})

test('a changed note is detected', async () => {
  const { audit, directory, verify } = await openAudit()
  await audit.begin(system, '1')
  const path = join(directory, 'audit-head.json')
  const note = JSON.parse(await readFile(path, 'utf8')) as object
  for (const text of [JSON.stringify({ ...note, lastId: 0 }), 'nonsense']) {
    await writeFile(path, text)
    expect(await verify()).toMatchObject({
      holds: false,
      problem: 'The note of the newest row (audit-head.json) was changed.',
    })
  }
})

test('a note about rows that the retention has removed is fine', async () => {
  const { audit, verify, clock } = await openAudit()
  await audit.begin(system, '1')
  clock.advance(60_000)
  await audit.record(system, { kind: 'server.stopped' })
  await audit.cut(clock.now())
  expect(await verify()).toMatchObject({ holds: true, removed: 1 })
})
