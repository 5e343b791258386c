import type { AuthorizationChangeLogSearch } from '../../../shared/api/authorization-change-logs.ts'
import type { SqlValue } from '../../database/connection.ts'
import type { Call } from '../../call.ts'
import type { AuthorizationChangeLogRow } from '../../models/authorization-change-log.ts'

type Condition = readonly [sql: string, ...params: SqlValue[]]

const equals = (column: string, value: string | undefined): Condition[] => (value ? [[`${column} = ?`, value]] : [])

const instant = (sql: string, value: string | undefined): Condition[] =>
  value === undefined ? [] : [[sql, Date.parse(value)]]

/** Ids are stored in lower case. */
function matchesText(searchText: string | undefined): Condition[] {
  const text = searchText?.toLowerCase() ?? ''
  const isPartOf = (column: string) => `instr(${column}, ?) > 0`
  return text === ''
    ? []
    : [[`(id = ? OR ${isPartOf('actorPrincipalId')} OR ${isPartOf('targetId')})`, text, text, text]]
}

/**
 * Entries of a tenant, or with null those that belong to no tenant, newest first. Past the ORM: the index by tenant holds
 * all that is searched, and whole entries are read only for the page itself.
 */
export async function searchAuthorizationChanges(
  { app: { database } }: Call,
  tenantId: string | null,
  { actionType, targetType, actorType, searchText, from, to, page, pageSize }: AuthorizationChangeLogSearch,
): Promise<{ rows: AuthorizationChangeLogRow[]; totalItems: number }> {
  const conditions: Condition[] = [
    ['owningTenantId IS ?', tenantId],
    ...equals('actionType', actionType),
    ...equals('targetType', targetType),
    ...equals('actorPrincipalType', actorType),
    ...matchesText(searchText),
    ...instant('createdAt >= ?', from),
    ...instant('createdAt <= ?', to),
  ]
  const where = conditions.map(([sql]) => sql).join(' AND ')
  const params = conditions.flatMap(([, ...values]) => values)
  const [count] = await database.all<{ total: number }>(
    `SELECT count(*) AS total FROM authorization_change_logs WHERE ${where}`,
    params,
  )
  const order = 'ORDER BY createdAt DESC, rowid DESC'
  const rows = await database.all<AuthorizationChangeLogRow>(
    `SELECT * FROM authorization_change_logs WHERE rowid IN
      (SELECT rowid FROM authorization_change_logs WHERE ${where} ${order} LIMIT ? OFFSET ?) ${order}`,
    [...params, pageSize, page * pageSize],
  )
  return { rows, totalItems: count!.total }
}
