import type { PermissionName, PrincipalKind, ScopeKind } from '../../../shared/access.ts'
import type { Call } from '../../call.ts'
import { deviceRight } from '../../policies/device.ts'
import { holds } from '../../policies/rights.ts'

/** Tables with names, and the permission of the tenant that shows them. */
const tables: readonly { sql: string; permission: PermissionName }[] = [
  { sql: 'SELECT id, userName AS name FROM users WHERE tenantId = ?1', permission: 'tenant.users.read' },
  { sql: 'SELECT id, name FROM user_groups WHERE tenantId = ?1', permission: 'tenant.user-groups.read' },
  { sql: 'SELECT id, name FROM customers WHERE tenantId = ?1', permission: 'tenant.customers.read' },
  { sql: 'SELECT id, name FROM device_groups WHERE tenantId = ?1', permission: 'tenant.device-groups.read' },
  { sql: 'SELECT id, name FROM service_accounts WHERE tenantId = ?1', permission: 'service-account.read' },
  { sql: 'SELECT id, name FROM tenants WHERE id = ?1', permission: 'tenant.permissions.read' },
]

const serverAccounts = 'SELECT id, name FROM service_accounts WHERE tenantId IS NULL'

/** SELECT of every id and name in tenant `?1` that the caller `?2` may read, apart from devices. */
export function readableNamesSql({ app, principal }: Call, tenantId: string): string {
  const readable = tables.filter(({ permission }) => holds(app, principal, permission, tenantId)).map(({ sql }) => sql)
  const ofServer = holds(app, principal, 'server.service-accounts.read') ? [serverAccounts] : []
  const own = 'SELECT id, userName AS name FROM users WHERE tenantId = ?1 AND id = ?2'
  return [...readable, ...ofServer, own].join(' UNION ALL ')
}

export type Names = ReadonlyMap<string, string>

/** Names of some things, as far as the caller may read them; hidden and unknown ones are missing alike. */
export async function namesOf(call: Call, tenantId: string, ids: Iterable<string>): Promise<Names> {
  const { app, principal } = call
  const wanted = [...new Set(ids)]
  const mayRead = deviceRight(app, principal, 'device.read')
  const names = new Map<string, string>()
  for (const id of wanted) {
    const device = app.fleet.get(id)
    if (device && device.tenantId === tenantId && mayRead(device)) {
      names.set(id, device.alias || device.name)
    }
  }
  const rows = await app.database.all<{ id: string; name: string }>(
    `SELECT id, name FROM (${readableNamesSql(call, tenantId)}) WHERE id IN (SELECT value FROM json_each(?3))`,
    [tenantId, principal.id, JSON.stringify(wanted)],
  )
  rows.forEach(({ id, name }) => names.set(id, name))
  return names
}

const places: Record<ScopeKind, string> = {
  Server: 'the server',
  Tenant: 'the tenant',
  CustomerTenant: 'the customer',
  DeviceGroup: 'the device group',
  Device: 'the device',
  UserGroup: 'the user group',
}

const hidden: Partial<Record<ScopeKind | PrincipalKind, string>> = {
  CustomerTenant: 'a customer that you cannot see',
  DeviceGroup: 'a device group that you cannot see',
  Device: 'a device that you cannot see',
  UserGroup: 'a user group that you cannot see',
}

/** Describes a thing in a sentence, without the name of a thing that the caller may not read. */
export function describePlace(names: Names, scopeKind: ScopeKind, scopeId: string | null): string {
  if (scopeId === null || scopeKind === 'Server' || scopeKind === 'Tenant') {
    return places[scopeKind]
  }
  const name = names.get(scopeId)
  return name === undefined ? hidden[scopeKind]! : `${places[scopeKind]} “${name}”`
}
