import type { AuditCategory } from '../../shared/audit-categories.ts'
import { auditKinds } from '../../shared/audit-kinds.ts'
import type { AuditFilters, AuditSearch } from '../../shared/api/appliance-audit-log.ts'
import { guidPattern } from '../../shared/guid.ts'
import { longestText } from './event.ts'
import type { RouteCall } from '../call/call.ts'
import { readLog, type LogSearchCall } from '../call/log-reads.ts'
import type { SqlValue } from '../engines/database/connection.ts'
import type { AuditEventRow } from './tables.ts'

/** Newest rows of a tenant searched by part of a name: bounds the time of a search, since no index helps. */
const namesSearched = 50_000

/** Rows of an index that a statement passes at most, in about 20 ms: other reads wait for no more than that. */
const windowRows = 10_000

/** Rows of a page of an export. */
const exportedAtOnce = 100

type Condition = readonly [sql: string, ...params: SqlValue[]]

const allOf = (conditions: readonly Condition[]) => conditions.map(([sql]) => sql).join(' AND ')
const paramsOf = (conditions: readonly Condition[]) => conditions.flatMap(([, ...values]) => values)

const kindsOf = (category: AuditCategory) =>
  Object.entries(auditKinds).flatMap(([name, kind]) => (kind.category === category ? [name] : []))

function byName(columns: readonly string[], text: string): Condition {
  // Paths are longer than names, and take longer to search.
  const start = (column: string) => `substr(ifnull(${column}, ''), 1, ${longestText})`
  const matches = columns.map((column) => `instr(lower(${start(column)}), lower(?)) > 0`).join(' OR ')
  return [`(${matches})`, ...columns.map(() => text)]
}

const isName = (text: string | undefined) => text !== undefined && text !== '' && !guidPattern.test(text)

function byPerson(text: string): Condition {
  return guidPattern.test(text)
    ? // The `+` keeps SQLite on the newest rows: through the index of targets it would sort all rows of the person.
      ['(actorId = ? OR +targetId = ?)', text.toLowerCase(), text.toLowerCase()]
    : byName(['actorName', 'targetName'], text)
}

function conditionsOf({ person, device, category, kind, outcome, from, to }: AuditFilters): Condition[] {
  const kinds = category === undefined ? [] : kindsOf(category)
  return [
    ...(person ? [byPerson(person)] : []),
    ...(device
      ? [guidPattern.test(device) ? (['deviceId = ?', device.toLowerCase()] as const) : byName(['deviceName'], device)]
      : []),
    ...(category === undefined ? [] : [[`kind IN (${kinds.map(() => '?').join()})`, ...kinds] as const]),
    ...(kind ? [['kind = ?', kind] as const] : []),
    ...(outcome ? [['outcome = ?', outcome] as const] : []),
    ...(from === undefined ? [] : [['at >= ?', Date.parse(from)] as const]),
    ...(to === undefined ? [] : [['at <= ?', Date.parse(to)] as const]),
  ]
}

/** Id of the last row of a window; undefined in the last window. */
async function endOfWindow(
  call: LogSearchCall,
  conditions: readonly Condition[],
  order: 'ASC' | 'DESC',
): Promise<number | undefined> {
  const [end] = await readLog<{ id: number }>(
    call,
    `SELECT id FROM audit_events WHERE ${allOf(conditions)} ORDER BY id ${order} LIMIT 1 OFFSET ${windowRows - 1}`,
    paramsOf(conditions),
  )
  return end?.id
}

/** Id of the oldest row that is searched by a part of a name: one of the newest of a tenant, whatever others add (T44), or of the server. */
async function oldestNamed(call: LogSearchCall, tenantId: string | undefined): Promise<number> {
  if (tenantId === undefined) {
    const [row] = await readLog<{ id: number | null }>(call, 'SELECT max(id) AS id FROM audit_events', [])
    return (row?.id ?? 0) - namesSearched + 1
  }
  const ofTenant: Condition = ['tenantId = ?', tenantId]
  let oldest = Number.MAX_SAFE_INTEGER
  for (let passed = 0; passed < namesSearched; passed += windowRows) {
    const end = await endOfWindow(call, [ofTenant, ['id < ?', oldest]], 'DESC')
    if (end === undefined) {
      return 0
    }
    oldest = end
  }
  return oldest
}

const isByName = ({ person, device }: AuditFilters) => [person, device].some(isName)

type PagedSearch = AuditSearch & {
  after?: number | undefined
  /** Bound of a search by a part of a name, from an earlier page. */
  oldest?: number | undefined
}

/** Events of a tenant, or with undefined of the whole server, newest first; with `after` oldest first. */
export async function searchAudit(
  call: LogSearchCall,
  tenantId: string | undefined,
  { before, after, limit, oldest, ...filters }: PagedSearch,
): Promise<{ rows: AuditEventRow[]; hasMore: boolean }> {
  const isForwards = after !== undefined
  const filtered = conditionsOf(filters)
  const ofDevice = filtered.find(([sql]) => sql === 'deviceId = ?')
  // The `+` keeps SQLite from walking through all rows of the tenant instead of those of the device.
  const ofTenant: Condition[] = tenantId === undefined ? [] : [[`${ofDevice ? '+' : ''}tenantId = ?`, tenantId]]
  // Each has an index that ends with the id.
  const indexed: Condition[] = [ofDevice ?? ofTenant[0] ?? ['TRUE']]
  if (isByName(filters)) {
    indexed.push(['id >= ?', oldest ?? (await oldestNamed(call, tenantId))])
  }
  const conditions = [...indexed, ...ofTenant, ...filtered]
  const rows: AuditEventRow[] = []
  const left = call.closed()
  let place = after ?? before ?? Number.MAX_SAFE_INTEGER
  let isOver = false
  while (!isOver && rows.length <= limit && !left.aborted) {
    const found = await readWindow(call, {
      indexed,
      conditions,
      isFiltered: filtered.length > 0,
      isForwards,
      place,
      limit: limit + 1 - rows.length,
    })
    rows.push(...found.rows)
    isOver = found.end === undefined
    place = found.end ?? place
  }
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit }
}

interface Window {
  /** Conditions that an index answers: they limit the windows. */
  indexed: readonly Condition[]
  /** All conditions. */
  conditions: readonly Condition[]
  /** False where every row matches. */
  isFiltered: boolean
  isForwards: boolean
  /** Id before the first row of the window. */
  place: number
  limit: number
}

/** Matching rows of a window, and the id of its last row; undefined in the last window, and where every row matches. */
async function readWindow(
  call: LogSearchCall,
  { indexed, conditions, isFiltered, isForwards, place, limit }: Window,
): Promise<{ rows: AuditEventRow[]; end: number | undefined }> {
  const [beyond, upTo, order] = isForwards ? (['>', '<=', 'ASC'] as const) : (['<', '>=', 'DESC'] as const)
  const start: Condition = [`id ${beyond} ?`, place]
  const end = isFiltered ? await endOfWindow(call, [...indexed, start], order) : undefined
  const all = [start, ...(end === undefined ? [] : [[`id ${upTo} ?`, end] as const]), ...conditions]
  const rows = await readLog<AuditEventRow>(
    call,
    `SELECT * FROM audit_events WHERE ${allOf(all)} ORDER BY id ${order} LIMIT ?`,
    [...paramsOf(all), limit],
  )
  return { rows, end }
}

type ExportFilters = AuditFilters & { after?: number | undefined }

/** Records the export, then yields every matching event, newest first; with `after` oldest first. */
export async function exportAudit(
  call: RouteCall,
  tenantId: string | undefined,
  { format, ...filters }: ExportFilters & { format: string },
): Promise<AsyncIterable<AuditEventRow[]>> {
  const used = Object.entries(filters).map(([name, value]) => `${name}=${value}`)
  await call.app.audit.record(call.actor, {
    kind: 'export.audit-log',
    ...(tenantId === undefined ? {} : { tenantId }),
    details: { format, filters: used.join(' ') },
  })
  return pagesOf(call, tenantId, filters)
}

async function* pagesOf(call: RouteCall, tenantId: string | undefined, { after, ...filters }: ExportFilters) {
  const isForwards = after !== undefined
  // Found once: events that are added meanwhile take none from an export.
  const oldest = isByName(filters) ? await oldestNamed(call, tenantId) : undefined
  let last = after
  for (;;) {
    const place = isForwards ? { after: last } : { before: last }
    const page = await searchAudit(call, tenantId, { ...filters, ...place, oldest, limit: exportedAtOnce })
    yield page.rows
    last = page.rows.at(-1)?.id
    if (!page.hasMore || last === undefined) {
      return
    }
    await call.recheck()
  }
}
