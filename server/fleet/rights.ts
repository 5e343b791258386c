import { devicePermissions, type DevicePermission } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import { AppError, forbidden, notFound } from '../ground/errors.ts'
import type { DeviceList } from './device-list.ts'
import type { DeviceState } from './device-state.ts'
import type { Principal } from '../ground/principal.ts'
import type { Resource } from '../rights/evaluate.ts'
import { rightOf, type Right } from '../rights/rights.ts'

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

/** Caches one function per right, so that the fleet finds its cached scope by that function. */
const deviceRights = new WeakMap<Right, DeviceRight>()

/** Returns a test whether the principal holds the permission on a device. */
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

export const devicePermissionsOf = (app: App, principal: Principal, device: DeviceState): DevicePermission[] =>
  devicePermissions.filter((permission) => deviceRight(app, principal, permission)(device))

/** Role of `device.read`: over HTTP it decides which devices are visible, while a hub checks only the permission. */
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
  /** Tenant of the request: devices of other tenants are out of reach. */
  tenantId?: string | undefined
  /** Status for a device outside the tenant. */
  ofNoTenant?: 400 | undefined
}

/**
 * The device, if the principal holds the permission on it. Throws 404 for a device out of reach, and 403 without the
 * permission.
 */
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
