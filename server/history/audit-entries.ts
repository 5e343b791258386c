import { isAssignmentEvent } from '../audit/indexed-conditions.ts'
import type { AuditEventRow } from '../audit/tables.ts'
import type { SqlValue } from '../engines/database/connection.ts'
import type { Database } from '../engines/database/database.ts'

/** Rows of an index that one page passes at most: bounds the work for a filter that few rows match. */
const maxScanned = 5_000

export type Condition = readonly [sql: string, ...params: SqlValue[]]

/** Events of a device, and changes of rights at it. Each condition has an index that ends with the id. */
export const aboutDevice = (deviceId: string): Condition[] => [
  ['deviceId = ?', deviceId],
  [`details ->> 'scopeId' = ? AND ${isAssignmentEvent}`, deviceId],
]

export const aboutPerson = (userId: string): Condition[] => [
  ['actorId = ?', userId],
  ['targetId = ?', userId],
]

/** Event at which reading ended: it and all newer ones were looked at. */
interface Reached {
  id: number
  at: number
}

interface Page {
  /** Events, newest first. */
  rows: AuditEventRow[]
  /** Undefined if there are no older ones. */
  reached: Reached | undefined
}

interface Search {
  /** Only events with a smaller id. */
  before: number
  since: number
  limit: number
  /** With a `+` before indexed columns: SQLite would walk through all rows of a tenant instead of those of a device. */
  filters: readonly Condition[]
}

async function readOne(database: Database, about: Condition, search: Search): Promise<Page> {
  const { before, since, limit, filters } = search
  const [where, ...params] = about
  const [floor] = await database.all<Reached>(
    `SELECT id, at FROM audit_events WHERE ${where} AND id < ? ORDER BY id DESC LIMIT 1 OFFSET ${maxScanned - 1}`,
    [...params, before],
  )
  const conditions: Condition[] = [
    about,
    ['id < ? AND id >= ?', before, floor?.id ?? 0],
    ['at >= ?', since],
    ...filters,
  ]
  const rows = await database.all<AuditEventRow>(
    `SELECT * FROM audit_events WHERE ${conditions.map(([sql]) => `(${sql})`).join(' AND ')} ORDER BY id DESC LIMIT ?`,
    [...conditions.flatMap(([, ...values]) => values), limit],
  )
  const isOver = floor === undefined || floor.at < since
  return { rows, reached: rows.length === limit ? rows.at(-1) : isOver ? undefined : floor }
}

/** Events under any of the conditions, each once. */
export async function readEvents(database: Database, about: readonly Condition[], search: Search): Promise<Page> {
  const pages = await Promise.all(about.map((condition) => readOne(database, condition, search)))
  const reached = pages
    .flatMap((page) => page.reached ?? [])
    .reduce<Reached | undefined>((last, place) => (last && last.id > place.id ? last : place), undefined)
  const found = new Map(pages.flatMap(({ rows }) => rows).map((row) => [row.id, row]))
  const rows = [...found.values()].filter(({ id }) => id >= (reached?.id ?? 0)).toSorted((a, b) => b.id - a.id)
  const first = rows.slice(0, search.limit)
  return { rows: first, reached: first.length < rows.length ? first.at(-1) : reached }
}
