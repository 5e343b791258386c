import { devicePermissions, type DevicePermission } from '../../shared/access.ts'
import type { App } from '../call.ts'
import { AppError, forbidden, notFound } from '../errors.ts'
import type { DeviceList } from '../mirrors/fleet/device-list.ts'
import type { DeviceState } from '../mirrors/fleet/device-state.ts'
import type { Principal } from '../principal.ts'
import type { Resource } from './evaluate.ts'
import { rightOf, type Right } from './rights.ts'

export const deviceResource = ({
  id,
  tenantId,
  customerId,
  groupIds,
}: Pick<DeviceState, 'id' | 'tenantId' | 'customerId' | 'groupIds'>): Resource => ({
  kind: 'Device',
  id,
  tenantId,
  customerId,
  groupIds,
})

type DeviceRight = (device: DeviceState) => boolean

/** The same function for the same right, so that the fleet finds the scope that it has worked out for it. */
const deviceRights = new WeakMap<Right, DeviceRight>()

/** Tells for any device whether the principal holds the permission on it. */
export function deviceRight(app: App, principal: Principal, permission: DevicePermission): DeviceRight {
  const isAllowed = rightOf(app, principal, permission)
  const known = deviceRights.get(isAllowed)
  if (known) {
    return known
  }
  const right: DeviceRight = (device) => isAllowed(deviceResource(device))
  deviceRights.set(isAllowed, right)
  return right
}

/** Names of what a principal may do on a device. */
export const devicePermissionsOf = (app: App, principal: Principal, device: DeviceState): DevicePermission[] =>
  devicePermissions.filter((permission) => deviceRight(app, principal, permission)(device))

/** What `device.read` means: over HTTP it decides what a principal can see, while a hub checks the permission alone. */
export type Sight = 'readable' | 'all'

/** The devices on which a principal holds a permission, oldest first. */
export function permittedDevices(
  app: App,
  principal: Principal,
  permission: DevicePermission,
  sight: Sight,
): DeviceList {
  const isAllowed = deviceRight(app, principal, permission)
  if (sight === 'all' || permission === 'device.read') {
    return app.fleet.scope(isAllowed)
  }
  const isReadable = deviceRight(app, principal, 'device.read')
  return app.fleet.scope((device) => isReadable(device) && isAllowed(device))
}

interface Reach {
  sight: Sight
  /** The tenant that the request names: a device of another one is out of reach. */
  tenantId?: string | undefined
  /** Status for a device that the tenant does not have. */
  ofNoTenant?: 400 | undefined
}

/** The device, if the principal holds the permission on it. Out of reach is 404; in reach but not allowed is 403. */
export function permittedDevice(
  app: App,
  principal: Principal,
  permission: DevicePermission,
  id: string,
  { sight, tenantId, ofNoTenant }: Reach,
): DeviceState {
  const device = app.fleet.get(id)
  if (!device || (tenantId !== undefined && device.tenantId !== tenantId)) {
    throw ofNoTenant ? new AppError(ofNoTenant, 'This device does not belong to the tenant.') : notFound('device')
  }
  if (sight !== 'all' && !deviceRight(app, principal, 'device.read')(device)) {
    throw notFound('device')
  }
  if (!deviceRight(app, principal, permission)(device)) {
    throw forbidden(`You do not have the permission ${permission} on this device.`)
  }
  return device
}
