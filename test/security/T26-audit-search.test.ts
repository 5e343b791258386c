import { expect, test } from 'vitest'
import { searchAuthorizationChanges } from '../../server/assignments/authorization-log-search.ts'
import { searchAudit } from '../../server/audit/search.ts'
import { FairMutex } from '../../server/engines/flow/fair-mutex.ts'
import { openAudit, withoutTriggers } from '../server/audit/scene.ts'

const tenantId = 'tenant-1'
const count = 45_000

/** An audit log in which every second row is of the tenant, and rows 1, 2 and 3 alone are of one kind and device. */
async function longLog() {
  const { edit, database } = await openAudit()
  await edit(`${withoutTriggers}
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO audit_events (id, at, kind, outcome, count, tenantId, actorKind, deviceId, details, previous, hash, seal)
    SELECT i, i, iif(i < 4, 'rare', 'usual'), 'success', 1, iif(i % 2, '${tenantId}', NULL), 'system', iif(i < 4, 'd', NULL), '{}', '', '', ''
    FROM n`)
  const logReads = new FairMutex()
  const callOf = (id: string, left = new AbortController().signal) => ({
    app: { database, logReads },
    principal: { id, credential: { kind: 'Session', sessionId: id } as const },
    closed: () => left,
  })
  return { database, edit, callOf, call: callOf('ada') }
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

test('a search of the audit log takes turns with the searches of another account', async () => {
  const { callOf } = await longLog()
  const ended: string[] = []
  const search = async (by: string) => {
    await searchAudit(callOf(by), undefined, { to: '1969-01-01', limit: 100 })
    ended.push(by)
  }
  await Promise.all([...Array.from({ length: 10 }, () => search('mallory')), search('ada')])
  expect(ended[0]).toBe('ada')
})

test('a search of the audit log ends when its client has left', async () => {
  const { callOf } = await longLog()
  const left = new AbortController()
  const search = searchAudit(callOf('ada', left.signal), undefined, { kind: 'rare', limit: 3 })
  left.abort()
  expect((await search).rows).toEqual([])
})

test('searches that wait for their turn read nothing once their clients have left', async () => {
  const { database, callOf } = await longLog()
  let statements = 0
  const all: typeof database.all = (...read) => {
    statements++
    return database.all(...read)
  }
  const left = new AbortController()
  const { app, ...call } = callOf('ada', left.signal)
  const counted = { ...call, app: { ...app, database: { ...database, all } } }
  const searches = Array.from({ length: 5 }, (_, page) => [
    searchAudit(counted, undefined, { kind: 'rare', limit: 3 }),
    searchAuthorizationChanges(counted, tenantId, { page, pageSize: 3 }),
  ])
  left.abort()
  await Promise.all(searches.flat())
  expect(statements).toBe(0)
})

test('a search of the log of changed rights counts and pages over all its windows, and lets other reads go between', async () => {
  const { database, edit, call } = await longLog()
  await edit(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
    INSERT INTO authorization_change_logs (id, actionType, actorPrincipalType, targetType, targetId, owningTenantId, createdAt)
    SELECT i, iif(i % 10000 = 1, 'rare', 'usual'), 'system', 'User', 'u', '${tenantId}', i / 3 FROM n`)
  const idsOf = async (search: object) => {
    const wanted = { page: 0, pageSize: 3, ...search }
    const { rows, totalItems } = await searchAuthorizationChanges(call, tenantId, wanted)
    return [rows.map(({ id }) => Number(id)), totalItems]
  }
  const actionType = 'rare'
  expect(await idsOf({ actionType })).toEqual([[40_001, 30_001, 20_001], 5])
  expect(await idsOf({ actionType, page: 1 })).toEqual([[10_001, 1], 5])
  expect(await idsOf({ actionType, page: 2 })).toEqual([[], 5])
  expect(await idsOf({ page: 9_999 })).toEqual([[15_003, 15_002, 15_001], count])
  const [from, to] = [new Date(10_001 / 3).toISOString(), new Date(30_001 / 3).toISOString()]
  expect(await idsOf({ actionType, from, to })).toEqual([[30_001, 20_001, 10_001], 3])

  let isOver = false
  const found = idsOf({ actionType }).finally(() => (isOver = true))
  let reads = 0
  while (!isOver) {
    await database.all('SELECT 1')
    reads++
  }
  await found
  expect(reads).toBeGreaterThan(5)
})
