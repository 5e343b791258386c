import { fold } from '../../shared/fold.ts'
import type { PermissionName, PrincipalKind, ScopeKind } from '../../shared/access.ts'
import type { Call } from '../call/call.ts'
import { deviceRight, permittedDevices } from '../fleet/rights.ts'
import { givenName, joinChosenName } from '../people/account-mirror.ts'
import { holds } from '../rights/rights.ts'

/** Tables with names, and the permission of the tenant that shows them. */
const tables: readonly { kind: PrincipalKind | ScopeKind; from: string; permission: PermissionName }[] = [
  { kind: 'UserGroup', from: 'user_groups WHERE tenantId = ?1', permission: 'tenant.user-groups.read' },
  { kind: 'CustomerTenant', from: 'customers WHERE tenantId = ?1', permission: 'tenant.customers.read' },
  { kind: 'DeviceGroup', from: 'device_groups WHERE tenantId = ?1', permission: 'tenant.device-groups.read' },
  { kind: 'ServiceAccount', from: 'service_accounts WHERE tenantId = ?1', permission: 'service-account.read' },
  { kind: 'Tenant', from: 'tenants WHERE id = ?1', permission: 'tenant.permissions.read' },
]

const serverAccounts = `SELECT id, name, 'ServiceAccount', '' FROM service_accounts WHERE tenantId IS NULL`

/** SELECT of every id, name, kind and other name in tenant `?1` that the caller `?2` may read, apart from devices. */
export function readableNamesSql({ app, principal }: Call, tenantId: string): string {
  const readable = tables
    .filter(({ permission }) => holds(app, principal, permission, tenantId))
    .map(({ kind, from }) => `SELECT id, name, '${kind}', '' FROM ${from}`)
  const mayReadUsers = holds(app, principal, 'tenant.users.read', tenantId)
  const people = `SELECT u.id, coalesce(${givenName}, u.userName) AS name, 'User' AS kind, u.userName AS alsoCalled
    FROM users AS u ${joinChosenName}
    WHERE tenantId = ?1 AND (u.id = ?2 OR ${mayReadUsers})`
  const ofServer = holds(app, principal, 'server.service-accounts.read') ? [serverAccounts] : []
  return [people, ...readable, ...ofServer].join(' UNION ALL ')
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
    `SELECT id, name FROM (${readableNamesSql(call, tenantId)}) AS readable WHERE id IN (SELECT value FROM json_each(?3))`,
    [tenantId, principal.id, JSON.stringify(wanted)],
  )
  rows.forEach(({ id, name }) => names.set(id, app.accounts.nameOf(id) ?? name))
  return names
}

export interface NamedThing {
  kind: PrincipalKind | ScopeKind
  id: string
  name: string
}

/** Finds devices of a tenant that the caller may read, by a part of their name. */
function findDevices({ app, principal }: Call, tenantId: string, text: string, take: number): NamedThing[] {
  const wanted = fold(text)
  const found: NamedThing[] = []
  for (const device of permittedDevices(app, principal, 'device.read', 'readable')) {
    const name = device.alias || device.name
    if (device.tenantId === tenantId && fold(name).includes(wanted)) {
      found.push({ kind: 'Device', id: device.id, name })
      if (found.length === take) {
        break
      }
    }
  }
  return found
}

/** Finds things of some kinds that the caller may read, by a part of their name. */
export async function findNamed(
  call: Call,
  tenantId: string,
  { kinds, text, take }: { kinds: readonly NamedThing['kind'][]; text: string; take: number },
): Promise<NamedThing[]> {
  if (kinds.includes('Device')) {
    return findDevices(call, tenantId, text, take)
  }
  const readable = await call.app.database.all<NamedThing & { alsoCalled: string }>(
    `SELECT kind, id, name, alsoCalled FROM (${readableNamesSql(call, tenantId)}) AS readable
     WHERE kind IN (SELECT value FROM json_each(?3)) ORDER BY name COLLATE NOCASE, id`,
    [tenantId, call.principal.id, JSON.stringify(kinds)],
  )
  const wanted = fold(text)
  return readable
    .filter(({ name, alsoCalled }) => fold(`${name} ${alsoCalled}`).includes(wanted))
    .slice(0, take)
    .map(({ kind, id, name }) => ({ kind, id, name: call.app.accounts.nameOf(id) ?? name }))
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
