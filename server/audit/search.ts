import { auditKinds, type AuditCategory } from '../../shared/audit-kinds.ts'
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

/** Id before the newest rows of a tenant, whatever others add (T44), or of the whole server. */
async function beforeNewest(call: LogSearchCall, tenantId: string | undefined): Promise<number> {
  const [sql, ...params]: Condition =
    tenantId === undefined
      ? [`SELECT max(id) - ${namesSearched} AS id FROM audit_events`]
      : [`SELECT id FROM audit_events WHERE tenantId = ? ORDER BY id DESC LIMIT 1 OFFSET ${namesSearched}`, tenantId]
  const [row] = await readLog<{ id: number | null }>(call, sql, params)
  return row?.id ?? 0
}

/** Events of a tenant, or with undefined of the whole server, newest first; with `after` oldest first. */
export async function searchAudit(
  call: LogSearchCall,
  tenantId: string | undefined,
  { before, after, limit, ...filters }: AuditSearch & { after?: number | undefined },
): Promise<{ rows: AuditEventRow[]; hasMore: boolean }> {
  const isForwards = after !== undefined
  const filtered = conditionsOf(filters)
  const ofDevice = filtered.find(([sql]) => sql === 'deviceId = ?')
  // The `+` keeps SQLite from walking through all rows of the tenant instead of those of the device.
  const ofTenant: Condition[] = tenantId === undefined ? [] : [[`${ofDevice ? '+' : ''}tenantId = ?`, tenantId]]
  // Each has an index that ends with the id.
  const indexed: Condition[] = [ofDevice ?? ofTenant[0] ?? ['TRUE']]
  if ([filters.person, filters.device].some(isName)) {
    indexed.push(['id > ?', await beforeNewest(call, tenantId)])
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
  const [beyond, upTo, order] = isForwards ? ['>', '<=', 'ASC'] : ['<', '>=', 'DESC']
  const start: Condition = [`id ${beyond} ?`, place]
  const [end] = isFiltered
    ? await readLog<{ id: number }>(
        call,
        `SELECT id FROM audit_events WHERE ${allOf([...indexed, start])} ORDER BY id ${order} LIMIT 1 OFFSET ${windowRows - 1}`,
        paramsOf([...indexed, start]),
      )
    : []
  const all = [start, ...(end === undefined ? [] : [[`id ${upTo} ?`, end.id] as const]), ...conditions]
  const rows = await readLog<AuditEventRow>(
    call,
    `SELECT * FROM audit_events WHERE ${allOf(all)} ORDER BY id ${order} LIMIT ?`,
    [...paramsOf(all), limit],
  )
  return { rows, end: end?.id }
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
  let last = after
  for (;;) {
    const place = isForwards ? { after: last } : { before: last }
    const page = await searchAudit(call, tenantId, { ...filters, ...place, limit: exportedAtOnce })
    yield page.rows
    last = page.rows.at(-1)?.id
    if (!page.hasMore || last === undefined) {
      return
    }
    await call.recheck()
  }
}
