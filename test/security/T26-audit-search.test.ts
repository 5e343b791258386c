import { expect, test } from 'vitest'
import { searchAudit } from '../../server/audit/search.ts'
import { openAudit, withoutTriggers } from '../server/audit/scene.ts'

const tenantId = 'tenant-1'
const count = 45_000

/** An audit log in which every second row is of the tenant, and rows 1, 2 and 3 alone are of one kind and device. */
async function longLog() {
  const { edit, database, audit } = await openAudit()
  await edit(`${withoutTriggers}
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO audit_events (id, at, kind, outcome, count, tenantId, actorKind, deviceId, details, previous, hash, seal)
    SELECT i, i, iif(i < 4, 'rare', 'usual'), 'success', 1, iif(i % 2, '${tenantId}', NULL), 'system', iif(i < 4, 'd', NULL), '{}', '', '', ''
    FROM n`)
  return { database, call: { app: { database, audit } } }
}

test('a search of the audit log that finds nothing lets other reads of the database go between', async () => {
  const { database, call } = await longLog()
  let isOver = false
  const searches = Array.from({ length: 5 }, () => searchAudit(call, undefined, { to: '1969-01-01', limit: 100 }))
  const done = Promise.all(searches).then((found) => ((isOver = true), found))
  let reads = 0
  while (!isOver) {
    await database.all('SELECT 1')
    reads++
  }
  expect(await done).toEqual(searches.map(() => ({ rows: [], hasMore: false })))
  // Five windows of each search.
  expect(reads).toBeGreaterThan(20)
})

test('a search of the audit log finds the rows of all its windows in both directions, and says whether there are more', async () => {
  const { call } = await longLog()
  const idsOf = async (...search: Parameters<typeof searchAudit>) => {
    const { rows, hasMore } = await searchAudit(...search)
    return { ids: rows.map(({ id }) => id), hasMore }
  }
  const kind = 'rare'
  expect(await idsOf(call, undefined, { kind, limit: 3 })).toEqual({ ids: [3, 2, 1], hasMore: false })
  expect(await idsOf(call, undefined, { kind, limit: 2 })).toEqual({ ids: [3, 2], hasMore: true })
  expect(await idsOf(call, undefined, { kind, limit: 2, before: 2 })).toEqual({ ids: [1], hasMore: false })
  expect(await idsOf(call, tenantId, { kind, limit: 2 })).toEqual({ ids: [3, 1], hasMore: false })
  expect(await idsOf(call, tenantId, { to: '1970-01-01T00:00:00.005Z', limit: 2 })).toEqual({
    ids: [5, 3],
    hasMore: true,
  })
  const from = new Date(count - 1).toISOString()
  expect(await idsOf(call, undefined, { from, limit: 5, after: 0 })).toEqual({
    ids: [count - 1, count],
    hasMore: false,
  })
  const { rows } = await searchAudit(call, undefined, { limit: 500 })
  expect([rows.length, rows[0]?.id, rows.at(-1)?.id]).toEqual([500, count, count - 499])
})
