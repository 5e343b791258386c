import { expect, onTestFinished, test, vi } from 'vitest'
import { EventLog } from '../../../server/events/event-log.ts'
import { systemClock } from '../../../server/ground/clock.ts'
import { createLog } from '../../../server/ground/log.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'

/** An event log of a database in memory. */
async function openEvents() {
  const { database, close } = await openTestMemory()
  onTestFinished(close)
  const events = new EventLog({ database, clock: systemClock, log: createLog({ default: 'None' }) })
  await events.open({ isFirst: false })
  return { database, events, subjectsOf: async () => (await events.after(0, 100)).map(({ subject }) => subject) }
}

const names = Array.from({ length: 30 }, (_, index) => `subject ${index}`)

test('events of writes that share a transaction are stored in their order, with one statement', async () => {
  const { database, events, subjectsOf } = await openEvents()
  const run = vi.spyOn(database, 'allIn')
  await Promise.all(
    names.map((subject) =>
      database.writeShared(async (transaction) =>
        events.appendIn(transaction, [{ at: 1, kind: 'session.ended', tenantId, subject, data: '{}' }]),
      ),
    ),
  )
  const inserts = run.mock.calls.filter(([, sql]) => sql.includes('INSERT INTO program_events'))
  expect(inserts).toHaveLength(1)
  await vi.waitFor(async () => expect(await subjectsOf()).toEqual(names))
})

test('devices that come online at one moment are read back with one query', async () => {
  const { database, events, subjectsOf } = await openEvents()
  const read = vi.spyOn(database, 'all')
  names.forEach((id) => events.noteOnline({ id, tenantId, name: id, alias: null, lastSeen: 1 }, true, false))
  await vi.waitFor(async () => expect(await subjectsOf()).toEqual(names))
  await events.caughtUp()
  expect(read).toHaveBeenCalledTimes(1)
})
