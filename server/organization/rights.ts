import type { GroupPermission } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { forbidden, found } from '../ground/errors.ts'
import type { DeviceGroupRow, UserGroupRow } from './tables.ts'
import type { Principal } from '../ground/principal.ts'
import { rightOf } from '../rights/rights.ts'

export type GroupRow = DeviceGroupRow | UserGroupRow

/** The group; throws 404 for a group outside the tenant, and 403 without the permission on it. */
export async function permittedGroup(
  app: App,
  principal: Principal,
  permission: GroupPermission,
  id: string,
  tenantId: string,
): Promise<GroupRow> {
  const kind = permission === 'device-group.assign-devices' ? 'DeviceGroup' : 'UserGroup'
  const group = found(
    await app.models[kind].findOne({ where: { id, tenantId } }),
    kind === 'DeviceGroup' ? 'device group' : 'user group',
  )
  if (!rightOf(app, principal, permission)({ kind, id, tenantId })) {
    throw forbidden(`You do not have the permission ${permission} on this group.`)
  }
  return group.get({ plain: true })
}
