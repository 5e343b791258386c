import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { exportAudit, searchAudit } from '../../server/audit/search.ts'
import type { RouteCall } from '../../server/call/call.ts'
import type { Database } from '../../server/engines/database/database.ts'
import { FairMutex } from '../../server/engines/flow/fair-mutex.ts'
import { openAudit, withoutTriggers } from '../server/audit/scene.ts'
import { manualClock } from '../support/clock.ts'
import { useTestServer } from '../support/server.ts'

/** SQL that adds events with these ids to the audit log; `columns` are tenant, kind and name of the actor. */
const addEvents = (first: number, last: number, columns: string) => `
    WITH RECURSIVE n (i) AS (SELECT ${first} UNION ALL SELECT i + 1 FROM n WHERE i < ${last})
    INSERT INTO audit_events (id, at, kind, outcome, count, tenantId, actorKind, actorName, details, previous, hash, seal)
    SELECT i, i, 'k', 'success', 1, ${columns}, '{}', '', '', '' FROM n`

const callOf = (database: Database) => ({
  app: { database, logReads: new FairMutex() },
  principal: { id: 'ada', credential: { kind: 'Session', sessionId: 'ada' } as const },
  closed: () => new AbortController().signal,
})

test('events of another tenant do not hide an event from a search of the audit log by a part of a name', async () => {
  const { edit, database } = await openAudit()
  await edit(
    withoutTriggers +
      addEvents(1, 50_002, "iif(i = 1, 'tenant-1', 'tenant-2'), 'user', iif(i < 3, 'Mallory', 'Robot')"),
  )
  const find = async (tenantId: string | undefined, search: { after?: number } = {}) => {
    const { rows } = await searchAudit(callOf(database), tenantId, { person: 'mall', limit: 10, ...search })
    return rows.map(({ id }) => id)
  }
  expect(await find('tenant-1')).toEqual([1])
  expect(await find('tenant-1', { after: 0 })).toEqual([1])
  // The 50,000 newest rows of a tenant are searched; row 2 is the 50,001st.
  expect(await find('tenant-2')).toEqual([])
  expect(await find(undefined)).toEqual([])
})

test.each([
  ['the server', undefined],
  ['a tenant', 'tenant-2'],
])('events of %s that are added during an export by a part of a name take none from it', async (_, tenantId) => {
  const { edit, database } = await openAudit()
  await edit(withoutTriggers + addEvents(1, 50_000, "'tenant-2', 'user', iif(i <= 250, 'Mallory', 'Robot')"))
  let newest = 50_000
  const { app, ...rest } = callOf(database)
  const call = {
    ...rest,
    app: { ...app, audit: { record: async () => {} } },
    // Called between the pages.
    recheck: () => edit(addEvents(newest + 1, (newest += 100), "'tenant-2', 'user', 'Robot'")),
  }
  const pages = await exportAudit(call as unknown as RouteCall, tenantId, { person: 'mall', format: 'csv' })
  const ids: number[] = []
  for await (const rows of pages) {
    ids.push(...rows.map(({ id }) => id))
  }
  expect(ids).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index))
})

test('changes in another tenant do not hide those of a tenant from its home page', async () => {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  const owner = await server.owner()
  const event = {
    kind: 'person.added' as const,
    at: clock.now(),
    tenantId: owner.tenantId,
    deviceId: null,
    subject: randomUUID(),
    actorId: randomUUID(),
    place: null,
    data: JSON.stringify({ name: 'Eve' }),
  }
  const others = Array.from({ length: 2_000 }, () => ({ ...event, tenantId: randomUUID(), at: clock.now() + 1_000 }))
  const rows = [event, ...others].map((row, index) => ({ ...row, id: 1_000 + index }))
  await server.write((models, transaction) => models.ProgramEvent.bulkCreate(rows, { transaction }))
  const after = new Date(clock.now() - 60_000).toISOString()
  const { items, isComplete } = await owner.applianceHome.changes({ query: { after } })
  expect(items).toContainEqual(expect.objectContaining({ kind: 'people-added', count: 1 }))
  expect(isComplete).toBe(true)
})
