import { expect, onTestFinished, test, vi } from 'vitest'
import { EventLog } from '../../../server/events/event-log.ts'
import { systemClock } from '../../../server/ground/clock.ts'
import { createLog } from '../../../server/ground/log.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'

test('events of writes that share a transaction are stored in their order, with one statement', async () => {
  const { database, close } = await openTestMemory()
  onTestFinished(close)
  const events = new EventLog({ database, clock: systemClock, log: createLog({ default: 'None' }) })
  await events.open({ isFirst: false })
  const run = vi.spyOn(database, 'allIn')
  const subjects = Array.from({ length: 30 }, (_, index) => `session ${index}`)
  await Promise.all(
    subjects.map((subject) =>
      database.writeShared(async (transaction) =>
        events.appendIn(transaction, [{ at: 1, kind: 'session.ended', tenantId, subject, data: '{}' }]),
      ),
    ),
  )
  const inserts = run.mock.calls.filter(([, sql]) => sql.includes('INSERT INTO program_events'))
  expect(inserts).toHaveLength(1)
  await vi.waitFor(async () => expect((await events.after(0, 100)).map(({ subject }) => subject)).toEqual(subjects))
})
