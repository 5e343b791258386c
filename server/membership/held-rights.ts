import type { PermissionName } from '../../shared/access.ts'
import type { HeldRightsDto, RightsSummaryDto } from '../../shared/api/appliance-people.ts'
import { rolesIn } from '../../shared/roles.ts'
import type { Call } from '../call/call.ts'
import type { Rule } from '../rights/rules.ts'
import { deviceRight } from '../fleet/rights.ts'
import { holds, maySeeServerRows } from '../rights/rights.ts'

/*
 * Rights of people and user groups as an administrator reads them. Rows at the server are for those who may read them,
 * and a name is shown only to readers of the thing.
 */

/** Principal that gives rights: a person itself (null), or a user group. */
export interface Source {
  group: { id: string; name: string | null } | null
  rules: readonly Rule[]
}

type Reader = Pick<Call, 'app' | 'principal'>

const namesIn = (rules: readonly Rule[]) => rules.map(({ permissionName }) => permissionName as PermissionName)

/** Tells which rules the principal may see: those of the tenant, and those of the server only for their readers. */
export function visibility({ app, principal }: Reader, tenantId: string): (rule: Rule) => boolean {
  const seesServer = maySeeServerRows(app, principal)
  return ({ scopeKind, scopeId }: Rule) =>
    scopeKind === 'Server' ? seesServer : scopeKind !== 'Tenant' || scopeId === tenantId
}

/** Whether a caller may read rights in a tenant at all. */
export const mayReadRights = ({ app, principal }: Reader, tenantId: string): boolean =>
  holds(app, principal, 'tenant.permissions.read', tenantId) || maySeeServerRows(app, principal)

/** Rights in a list: everywhere in the tenant or server first, then by what is held at narrower places. */
export function summarize(reader: Reader, tenantId: string, rules: readonly Rule[]): RightsSummaryDto[] {
  const counting = rules.filter(visibility(reader, tenantId)).filter(({ isEnabled }) => isEnabled)
  const isWide = ({ scopeKind }: Rule) => scopeKind === 'Server' || scopeKind === 'Tenant'
  const denied = new Set(
    counting.filter((rule) => rule.effect === 'Deny' && isWide(rule)).map(({ permissionName }) => permissionName),
  )
  const allows = counting.filter(({ effect, permissionName }) => effect === 'Allow' && !denied.has(permissionName))
  const places = Map.groupBy(allows, ({ scopeKind, scopeId }) => `${scopeKind} ${scopeId ?? ''}`)
  const at = (key: string) => namesIn(places.get(key) ?? [])
  const server = rolesIn(at('Server '), 'Server')
  const tenant = rolesIn(at(`Tenant ${tenantId}`), 'Tenant', server.roles)
  const wide = { roles: [...server.roles, ...tenant.roles], beyond: [...server.beyond, ...tenant.beyond] }
  const narrow = [...places.values()]
    .filter(([first]) => !isWide(first!))
    .map((same) => rolesIn(namesIn(same), same[0]!.scopeKind))
  const alike = Map.groupBy(narrow, ({ roles, beyond }) => [...roles, ...beyond.toSorted()].join())
  return [
    ...(wide.roles.length + wide.beyond.length > 0 ? [{ ...wide, places: null }] : []),
    ...[...alike.values()].map((same) => ({ ...same[0]!, places: same.length })),
  ]
}

/** Looks up names of scopes that the caller may read. */
async function scopeNames({ app, principal }: Call, tenantId: string, rules: readonly Rule[]) {
  const { models, fleet } = app
  const names = new Map<string, string>()
  const idsOf = (kind: Rule['scopeKind']) =>
    rules.flatMap(({ scopeKind, scopeId }) => (scopeKind === kind && scopeId !== null ? [scopeId] : []))
  const add = async (rows: Promise<{ id: string; name: string }[]>) =>
    (await rows).forEach(({ id, name }) => names.set(id, name))
  const where = (kind: Rule['scopeKind']) => ({ where: { id: idsOf(kind), tenantId }, attributes: ['id', 'name'] })
  if (idsOf('Tenant').length > 0) {
    await add(models.Tenant.findAll({ where: { id: tenantId } }))
  }
  if (holds(app, principal, 'tenant.customers.read', tenantId)) {
    await add(models.Customer.findAll(where('CustomerTenant')))
  }
  if (holds(app, principal, 'tenant.device-groups.read', tenantId)) {
    await add(models.DeviceGroup.findAll(where('DeviceGroup')))
  }
  if (holds(app, principal, 'tenant.user-groups.read', tenantId)) {
    await add(models.UserGroup.findAll(where('UserGroup')))
  }
  const mayRead = deviceRight(app, principal, 'device.read')
  for (const id of idsOf('Device')) {
    const device = fleet.get(id)
    if (device?.tenantId === tenantId && mayRead(device)) {
      names.set(id, device.alias || device.name)
    }
  }
  return names
}

/** Rights by source and place, the widest place first. */
export async function describeRights(
  call: Call,
  tenantId: string,
  sources: readonly Source[],
): Promise<HeldRightsDto[]> {
  const isVisible = visibility(call, tenantId)
  const visible = sources.map(({ group, rules }) => ({ group, rules: rules.filter(isVisible) }))
  const names = await scopeNames(
    call,
    tenantId,
    visible.flatMap(({ rules }) => rules),
  )
  return visible.flatMap(({ group, rules }) => {
    const places = Map.groupBy(rules, (rule) =>
      [rule.effect, rule.scopeKind, rule.scopeId, rule.isEnabled].map(String).join(' '),
    )
    return [...places.values()].map((same): HeldRightsDto => {
      const { effect, scopeKind, scopeId, isEnabled } = same[0]!
      const permissions = [...new Set(namesIn(same))].toSorted()
      return {
        effect,
        scopeKind,
        scopeId,
        scopeName: scopeId === null ? null : (names.get(scopeId) ?? null),
        group,
        isEnabled,
        ...rolesIn(permissions, scopeKind),
        permissions,
      }
    })
  })
}
