import type { GroupPermission } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { forbidden, found } from '../ground/errors.ts'
import type { DeviceGroupRow, UserGroupRow } from './tables.ts'
import type { Principal } from '../ground/principal.ts'
import { rightOf } from '../rights/rights.ts'

export type GroupRow = DeviceGroupRow | UserGroupRow

const kindOf = (permission: GroupPermission) =>
  permission === 'device-group.assign-devices' ? 'DeviceGroup' : 'UserGroup'

/** Throws 403 without the permission on a group of the tenant. */
export function requireGroupRight(
  app: App,
  principal: Principal,
  permission: GroupPermission,
  { id, tenantId }: Pick<GroupRow, 'id' | 'tenantId'>,
): void {
  if (!rightOf(app, principal, permission)({ kind: kindOf(permission), id, tenantId })) {
    throw forbidden(`You do not have the permission ${permission} on this group.`)
  }
}

/** The group; throws 404 for a group outside the tenant, and 403 without the permission on it. */
export async function permittedGroup(
  app: App,
  principal: Principal,
  permission: GroupPermission,
  id: string,
  tenantId: string,
): Promise<GroupRow> {
  const kind = kindOf(permission)
  const group = found(
    await app.models[kind].findOne({ where: { id, tenantId } }),
    kind === 'DeviceGroup' ? 'device group' : 'user group',
  )
  requireGroupRight(app, principal, permission, { id, tenantId })
  return group.get({ plain: true })
}
