import { instant, instantOrNull } from '../ground/instant.ts'
import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import type { RightsSearch } from '../../shared/api/appliance-rights.ts'
import type { RightsGrantDto } from '../../shared/dtos/rights.ts'
import { placedAt, rolesIn } from '../../shared/roles.ts'
import type { Call } from '../call/call.ts'
import type { SqlValue } from '../engines/database/connection.ts'
import { maySeeServerRows } from '../rights/rights.ts'
import { namesOf, readableNamesSql } from './readable-names.ts'

type Condition = readonly [sql: string, ...params: SqlValue[]]

/** Assignments that share these columns are one item. */
const shared = ['principalKind', 'principalId', 'scopeKind', 'scopeId', 'effect', 'isEnabled', 'endsAt'] as const

const states: Record<NonNullable<RightsSearch['state']>, string> = {
  active: `isEnabled = 1 AND ifnull(endsAt > ?now, TRUE) AND effect = 'Allow'`,
  ending: 'isEnabled = 1 AND endsAt > ?now',
  ended: 'endsAt <= ?now',
  disabled: 'isEnabled = 0',
  deny: `effect = 'Deny'`,
}

/** Scopes that contain a device. */
function reaching({ app }: Call, deviceId: string): Condition {
  const device = app.fleet.get(deviceId)
  const places = device ? [deviceId, device.customerId, ...device.groupIds].filter((id) => id !== null) : [deviceId]
  return [
    `(scopeKind IN ('Server', 'Tenant') OR scopeId IN (${places.map(() => '?').join()}))
      AND permissionName LIKE 'device.%'`,
    ...places,
  ]
}

/** Conditions on single assignments. */
function rowConditions(call: Call, search: RightsSearch): Condition[] {
  const { principalId, principalKind, scopeKind, scopeId, deviceId, state } = search
  return [
    ...(principalId ? [['principalId = ?', principalId] as const] : []),
    ...(principalKind ? [['principalKind = ?', principalKind] as const] : []),
    ...(scopeKind ? [['scopeKind = ?', scopeKind] as const] : []),
    ...(scopeId ? [['scopeId = ?', scopeId] as const] : []),
    ...(deviceId ? [reaching(call, deviceId)] : []),
    ...(state ? [[states[state].replace('?now', String(call.app.clock.now()))] as const] : []),
  ]
}

/** Condition on an item: its permissions include those by which a role is recognized. */
function roleCondition(role: RightsSearch['role']): Condition[] {
  if (role === undefined) {
    return []
  }
  const names = placedAt(role, role === 'Server Administrator' ? 'Server' : 'Tenant')
  return [[`count(*) FILTER (WHERE permissionName IN (${names.map((name) => `'${name}'`).join()})) = ${names.length}`]]
}

const join = (conditions: readonly Condition[], keyword: string) =>
  conditions.length === 0 ? '' : `${keyword} ${conditions.map(([sql]) => `(${sql})`).join(' AND ')}`

interface Item {
  principalKind: PrincipalKind
  principalId: string
  scopeKind: ScopeKind
  scopeId: string | null
  effect: 'Allow' | 'Deny'
  isEnabled: number
  endsAt: number | null
  rowsJson: string
  createdAt: number
}

/**
 * Lists assignments of a tenant as items, by the name of their principal. Rows at the server are among them for those
 * who may see them, if their principal belongs to the tenant or to the server.
 */
export async function listGrants(
  call: Call,
  tenantId: string,
  search: RightsSearch,
): Promise<{ items: RightsGrantDto[]; totalItems: number }> {
  const { app, principal } = call
  const ofServer = `owningTenantId IS NULL AND (
      EXISTS (SELECT 1 FROM users AS u WHERE u.id = principalId AND u.tenantId = ?1)
      OR EXISTS (SELECT 1 FROM user_groups AS g WHERE g.id = principalId AND g.tenantId = ?1)
      OR EXISTS (SELECT 1 FROM service_accounts AS s WHERE s.id = principalId AND ifnull(s.tenantId = ?1, TRUE)))`
  const rows: Condition[] = [
    [maySeeServerRows(app, principal) ? `owningTenantId = ?1 OR (${ofServer})` : 'owningTenantId = ?1'],
    [`principalKind IN ('User', 'UserGroup', 'ServiceAccount')`],
    ...rowConditions(call, search),
  ]
  const { text } = search
  const found: Condition[] = text
    ? [
        [
          `instr(lower(ifnull(p.name || ' ' || p.alsoCalled, '')), lower(?)) > 0 OR instr(lower(ifnull(s.name, '')), lower(?)) > 0`,
          text,
          text,
        ],
      ]
    : []
  const having = roleCondition(search.role)
  const sql = `WITH names AS MATERIALIZED (${readableNamesSql(call, tenantId)}),
    items AS (
      SELECT ${shared.join()}, min(createdAt) AS createdAt,
        json_group_array(json_array(id, permissionName)) AS rowsJson
      FROM permission_assignments LEFT JOIN (SELECT assignmentId, endsAt FROM assignment_ends) AS ends ON assignmentId = id
      ${join(rows, 'WHERE')}
      GROUP BY ${shared.map((_, index) => index + 1).join()} ${join(having, 'HAVING')})
    SELECT items.*, count(*) OVER () AS total FROM items
      LEFT JOIN names AS p ON p.id = items.principalId LEFT JOIN names AS s ON s.id = items.scopeId
      ${join(found, 'WHERE')}
      ORDER BY p.name IS NULL, p.name COLLATE NOCASE, principalId, scopeKind, s.name COLLATE NOCASE NULLS FIRST, scopeId NULLS FIRST, effect,
        isEnabled DESC, endsAt NULLS FIRST
      LIMIT ? OFFSET ?`
  return present(
    call,
    tenantId,
    await app.database.all<Item & { total: number }>(sql, [
      tenantId,
      principal.id,
      ...[...rows, ...having, ...found].flatMap(([, ...values]) => values),
      search.pageSize,
      search.page * search.pageSize,
    ]),
  )
}

async function present(call: Call, tenantId: string, rows: readonly (Item & { total: number })[]) {
  const ids = rows.flatMap(({ principalId, scopeId }) => (scopeId === null ? [principalId] : [principalId, scopeId]))
  const names = await namesOf(call, tenantId, ids)
  const now = call.app.clock.now()
  const items = rows.map(
    ({ principalKind, principalId, scopeKind, scopeId, effect, endsAt, ...row }): RightsGrantDto => {
      const pairs = (JSON.parse(row.rowsJson) as [string, PermissionName][]).toSorted(([, a], [, b]) =>
        a < b ? -1 : 1,
      )
      const held = pairs.map(([, permission]) => permission)
      return {
        principal: { kind: principalKind, id: principalId, name: names.get(principalId) ?? null },
        scope: { kind: scopeKind, id: scopeId, name: scopeId === null ? null : (names.get(scopeId) ?? null) },
        effect,
        isEnabled: row.isEnabled === 1,
        endsAt: instantOrNull(endsAt),
        hasEnded: endsAt !== null && endsAt <= now,
        ...rolesIn(held, scopeKind),
        assignmentIds: pairs.map(([id]) => id),
        permissions: held,
        createdAt: instant(row.createdAt),
      }
    },
  )
  return { items, totalItems: rows[0]?.total ?? 0 }
}
