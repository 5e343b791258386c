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

/**
 * Finds entries of a tenant, or with null the entries without a tenant, newest first. Bypasses the ORM: the index by
 * tenant contains every filtered column, and whole entries are read only for the page itself and for a text search.
 */
export async function searchAuthorizationChanges(
  call: LogSearchCall,
  tenantId: string | null,
  { actionType, targetType, actorType, searchText, from, to, page, pageSize }: AuthorizationChangeLogSearch,
): Promise<{ rows: AuthorizationChangeLogRow[]; totalItems: number }> {
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
  const order = 'ORDER BY createdAt DESC, id DESC'
  const oldest = Math.max(from === undefined ? 0 : Date.parse(from), 0)
  const rows: AuthorizationChangeLogRow[] = []
  const left = call.closed()
  let totalItems = 0
  let before = to === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(to) + 1
  while (before > oldest && !left.aborted) {
    const [start] = await readLog<{ createdAt: number }>(call, windowStart(ofLog), [
      ...(tenantId === null ? [] : [tenantId]),
      before,
    ])
    const after = Math.max(start?.createdAt ?? 0, oldest)
    const window = [...params, after, before]
    const [count] = await readLog<{ total: number }>(
      call,
      `${named} SELECT count(*) AS total FROM authorization_change_logs WHERE ${where}`,
      window,
    )
    if (!count) {
      break
    }
    const skipped = Math.max(page * pageSize - totalItems, 0)
    if (count.total > skipped && rows.length < pageSize) {
      const found = await readLog<AuthorizationChangeLogRow>(
        call,
        `${named} SELECT * FROM authorization_change_logs WHERE id IN
          (SELECT id FROM authorization_change_logs WHERE ${where} ${order} LIMIT ? OFFSET ?) ${order}`,
        [...window, pageSize - rows.length, skipped],
      )
      rows.push(...found)
    }
    totalItems += count.total
    before = after
  }
  return { rows, totalItems }
}
