import type { AuthorizationChangeLogSearch } from '../../shared/api/authorization-change-logs.ts'
import type { SqlValue } from '../engines/database/connection.ts'
import { readLog, type LogSearchCall } from '../call/log-reads.ts'
import type { AuthorizationChangeLogRow } from '../rights/tables.ts'

type Condition = readonly [sql: string, ...params: SqlValue[]]

const equals = (column: string, value: string | undefined): Condition[] => (value ? [[`${column} = ?`, value]] : [])

/**
 * Number of newest entries whose states are searched: parsing 20,000 takes about 150 ms, and other reads wait
 * meanwhile.
 */
const statesSearched = 20_000

/** `?1` is the tenant of the log, `?2` the search text. */
const contains = (...columns: string[]) =>
  `(${columns.map((column) => `instr(lower(${column}), lower(?2)) > 0`).join(' OR ')})`

/** People, service accounts, groups and customers of the tenant, found by name or address; never those of another tenant. */
const named = `WITH named AS MATERIALIZED (
  SELECT id FROM users WHERE ifnull(tenantId = ?1, TRUE) AND ${contains('userName', 'email')}
  ${['service_accounts', 'user_groups', 'device_groups', 'customers']
    .map((table) => `UNION ALL SELECT id FROM ${table} WHERE tenantId IS NOT DISTINCT FROM ?1 AND ${contains('name')}`)
    .join(' ')})`

/** Matches values in the states before and after a change, but no member names. */
const isInStates = `EXISTS (
  SELECT 1 FROM json_tree(concat('[', ifnull(beforeJson, 'null'), ',', ifnull(afterJson, 'null'), ']'))
  WHERE json_tree.type = 'text' AND (${contains('json_tree.atom')} OR json_tree.atom IN (SELECT id FROM named)))`

/** PostgreSQL uses no index for `owningTenantId IS NOT DISTINCT FROM ?1`. */
const ofTenant = (tenantId: string | null) => (tenantId === null ? 'owningTenantId IS NULL' : 'owningTenantId = ?1')

const hasSearchedStates = (ofLog: string) => `createdAt >= ifnull((SELECT createdAt FROM authorization_change_logs
  WHERE ${ofLog} ORDER BY createdAt DESC LIMIT 1 OFFSET ${statesSearched}), 0)`

const matchesText = (ofLog: string) => `(id = lower(?2) OR ${contains('actorPrincipalId', 'targetId')}
  OR actorPrincipalId IN (SELECT id FROM named) OR targetId IN (SELECT id FROM named) OR (${hasSearchedStates(ofLog)} AND ${isInStates}))`

/** Entries that a statement passes at most, but for those of the same instant. */
const windowRows = 20_000

/** Instant of the oldest entry of the window before an instant; undefined in the last window. */
const windowStart = (ofLog: string) => `SELECT createdAt FROM authorization_change_logs
  WHERE ${ofLog} AND createdAt < ? ORDER BY createdAt DESC LIMIT 1 OFFSET ${windowRows - 1}`

export type ChangeFilters = Omit<AuthorizationChangeLogSearch, 'page' | 'pageSize'>

const order = 'ORDER BY createdAt DESC, id DESC'

/** Conditions of the filters and of a window, with their parameters. */
interface Window {
  where: string
  params: readonly SqlValue[]
}

/** Yields the windows of a tenant's entries, or with null of those without a tenant, newest first, until the caller disconnects. */
async function* windowsOf(
  call: LogSearchCall,
  tenantId: string | null,
  { actionType, targetType, actorType, searchText, from, to }: ChangeFilters,
): AsyncIterable<Window> {
  const ofLog = ofTenant(tenantId)
  const conditions: Condition[] = [
    [ofLog],
    ...equals('actionType', actionType),
    ...equals('targetType', targetType),
    ...equals('actorPrincipalType', actorType),
    ...(searchText ? [[matchesText(ofLog)] as const] : []),
    ['createdAt >= ? AND createdAt < ?'],
  ]
  const where = conditions.map(([sql]) => sql).join(' AND ')
  const params = [tenantId, searchText ?? '', ...conditions.flatMap(([, ...values]) => values)]
  const oldest = Math.max(from === undefined ? 0 : Date.parse(from), 0)
  const left = call.closed()
  let before = to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to) + 1
  while (before > oldest && !left.aborted) {
    const [start] = await readLog<{ createdAt: number }>(call, windowStart(ofLog), [
      ...(tenantId === null ? [] : [tenantId]),
      before,
    ])
    const after = Math.max(start?.createdAt ?? 0, oldest)
    yield { where, params: [...params, after, before] }
    before = after
  }
}

/** Whole entries of a window that match further conditions, newest first. */
const readEntries = (call: LogSearchCall, { where, params }: Window, more: string, values: readonly SqlValue[]) =>
  readLog<AuthorizationChangeLogRow>(
    call,
    `${named} SELECT * FROM authorization_change_logs WHERE id IN
      (SELECT id FROM authorization_change_logs WHERE ${where} ${more}) ${order}`,
    [...params, ...values],
  )

/**
 * Finds entries of a tenant, or with null the entries without a tenant, newest first. Bypasses the ORM: the index by
 * tenant contains every filtered column, and whole entries are read only for the page itself and for a text search.
 */
export async function searchAuthorizationChanges(
  call: LogSearchCall,
  tenantId: string | null,
  { page, pageSize, ...filters }: AuthorizationChangeLogSearch,
): Promise<{ rows: AuthorizationChangeLogRow[]; totalItems: number }> {
  const rows: AuthorizationChangeLogRow[] = []
  let totalItems = 0
  for await (const window of windowsOf(call, tenantId, filters)) {
    const [count] = await readLog<{ total: number }>(
      call,
      `${named} SELECT count(*) AS total FROM authorization_change_logs WHERE ${window.where}`,
      window.params,
    )
    if (!count) {
      break
    }
    const skipped = Math.max(page * pageSize - totalItems, 0)
    if (count.total > skipped && rows.length < pageSize) {
      rows.push(...(await readEntries(call, window, `${order} LIMIT ? OFFSET ?`, [pageSize - rows.length, skipped])))
    }
    totalItems += count.total
  }
  return { rows, totalItems }
}

/** Entries of a page of an export. */
const exportedAtOnce = 200

/** Yields pages of all entries that match, newest first. Each page begins after the last entry of the page before. */
export async function* allAuthorizationChanges(
  call: LogSearchCall,
  tenantId: string | null,
  filters: ChangeFilters,
): AsyncIterable<AuthorizationChangeLogRow[]> {
  for await (const window of windowsOf(call, tenantId, filters)) {
    let rows = await readEntries(call, window, `${order} LIMIT ?`, [exportedAtOnce])
    while (rows.length > 0) {
      yield rows
      const { createdAt, id } = rows.at(-1)!
      const next = `AND (createdAt, id) < (?, ?) ${order} LIMIT ?`
      rows = rows.length < exportedAtOnce ? [] : await readEntries(call, window, next, [createdAt, id, exportedAtOnce])
    }
  }
}
