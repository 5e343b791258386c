import { expect, onTestFinished, test } from 'vitest'
import { AuditBudget } from '../../server/audit/budget.ts'
import { columnsOf, type AuditEvent } from '../../server/audit/event.ts'
import { BatchFiles } from '../../server/batches/batch-files.ts'
import type { AuditKind } from '../../shared/audit-kinds.ts'
import { actorOfUser } from '../../server/ground/actor.ts'
import { stranger } from '../server/audit/scene.ts'
import { manualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/server-process.ts'

const mallory = actorOfUser(stranger, { id: 'mallory', userName: 'mallory@example.org', tenantId: 'a' })

const eventOf = (kind: AuditKind, token: number) => ({
  ...columnsOf(mallory, { kind } as AuditEvent, 0),
  credentialId: `token ${token}`,
})

test('ten tokens of an account get as many rows of the audit log as five', () => {
  const budget = new AuditBudget(manualClock())
  const rows = Array.from({ length: 10 }, (_, token) => {
    const event = eventOf('device.alias-changed', token)
    return Array.from({ length: 30_000 }).filter(() => budget.admits(event, 'mallory')).length
  })
  expect(rows.reduce((sum, count) => sum + count)).toBe(125_000)
})

test('ten tokens of an account start as many bulk jobs as five', () => {
  const budget = new AuditBudget(manualClock())
  const startAll = (token: number) =>
    Array.from({ length: 2_000 }).forEach(() => budget.requireDeed(eventOf('batch.started', token), 'mallory'))
  Array.from({ length: 5 }).forEach((_, token) => startAll(token))
  expect(() => budget.requireDeed(eventOf('batch.started', 6), 'mallory')).toThrow('too often within an hour')
})

test('three tokens of an account leave as many files for bulk jobs as two', async () => {
  const folder = await temporaryFolder()
  const files = new BatchFiles({
    clock: manualClock(),
    directory: folder,
    largest: () => undefined,
    tenants: () => 1,
  })
  onTestFinished(() => files.close())
  const none = async function* noBytes() {}
  const leave = (owner: string, account = 'mallory') => files.add({ owner, account, tenantId: 'a' }, 'empty', none())
  for (let count = 0; count < 100; count++) {
    await Promise.all([leave('first'), leave('second')])
  }
  await expect(leave('first')).rejects.toThrow('has 100 files')
  await expect(leave('third')).rejects.toThrow('has 200 files')
  await leave('another', 'ada')
})
