import { expect, test } from 'vitest'
import { AuditBudget } from '../../server/audit/budget.ts'
import { columnsOf, type AuditEvent } from '../../server/audit/event.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import { actorOfUser } from '../../server/ground/actor.ts'
import { openAudit, stranger } from '../server/audit/scene.ts'
import { manualClock } from '../support/clock.ts'

const mallory = actorOfUser(stranger, { id: 'mallory', userName: 'mallory@example.org', tenantId: 'a' })

/** Number of rows that as many events of a kind get. */
function rowsOf(budget: AuditBudget, kind: AuditKind, events: number) {
  const columns = columnsOf(mallory, { kind } as AuditEvent, 0)
  return Array.from({ length: events }).filter(() => budget.admits(columns, 'mallory')).length
}

test('masses of one kind of event hide no event of another kind', () => {
  const clock = manualClock()
  const budget = new AuditBudget(clock)
  expect(rowsOf(budget, 'device.alias-changed', 40_000)).toBe(25_000)
  const deeds = ['file.downloaded', 'session.began', 'change.user-deleted', 'account.password-changed'] as const
  expect(deeds.map((kind) => rowsOf(budget, kind, 6_000))).toEqual(deeds.map(() => 5_000))
  clock.advance(3_600_000)
  expect(rowsOf(budget, 'file.downloaded', 1)).toBe(1)
})

test.each(['recording.opened', 'recording.ended', 'batch.started', 'session.cut', 'device.deleted'] as const)(
  'events of %s are never summed up',
  (kind) => {
    expect(rowsOf(new AuditBudget(manualClock()), kind, 30_000)).toBe(30_000)
  },
)

test('a bulk job past 2,000 an hour is rejected, and neither it nor its event is stored', async () => {
  const { audit, clock, database, rows } = await openAudit()
  const start = (jobs: number) =>
    database.write((transaction) =>
      audit.recordIn(
        transaction,
        mallory,
        Array.from({ length: jobs }, () => ({ kind: 'batch.started' as const })),
      ),
    )
  await start(2_000)
  await expect(start(1)).rejects.toMatchObject({ status: 429, headers: { 'retry-after': '3600' } })
  await expect(audit.record(mallory, { kind: 'batch.started' })).rejects.toMatchObject({ status: 429 })
  expect(await rows()).toHaveLength(2_000)
  clock.advance(3_600_000)
  await start(1)
})

test('an event in many parts takes one place of the budget, and past the budget it is counted once', async () => {
  const { audit, database, rows } = await openAudit()
  const download = { kind: 'file.downloaded' } as const
  const record = () => audit.recordInParts(stranger, [download, download, download])
  for (let event = 0; event < 20; event++) {
    await record()
  }
  expect(await rows()).toHaveLength(60)
  await record()
  expect(await rows()).toHaveLength(60)
  expect(await database.all('SELECT count FROM audit_counts')).toEqual([{ count: 1 }])
})
