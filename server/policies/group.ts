import type { GroupPermission } from '../../shared/access.ts'
import type { App, Principal } from '../context.ts'
import { forbidden, notFound } from '../errors.ts'
import { rightOf } from './rights.ts'

/** Throws 404 for a group outside the tenant, and 403 without the permission on it. */
export async function permitGroup(
  app: App,
  principal: Principal,
  permission: GroupPermission,
  id: string,
  tenantId: string,
): Promise<void> {
  const kind = permission === 'device-group.assign-devices' ? 'DeviceGroup' : 'UserGroup'
  const group = await app.models[kind].findOne({ where: { id, tenantId } })
  if (!group) {
    throw notFound(kind === 'DeviceGroup' ? 'device group' : 'user group')
  }
  if (!rightOf(app, principal, permission)({ kind, id, tenantId })) {
    throw forbidden(`You do not have the permission ${permission} on this group.`)
  }
}
