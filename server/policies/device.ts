import type { DevicePermission } from '../../shared/access.ts'
import type { App, Principal } from '../context.ts'
import { AppError, forbidden, notFound } from '../errors.ts'
import type { DeviceState, FleetEntry } from '../models/device.ts'
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

/** The device access scope: tells for any device whether the principal holds the permission on it. */
export function deviceScope(
  app: App,
  principal: Principal,
  permission: DevicePermission,
): (device: DeviceState) => boolean {
  const isAllowed = rightOf(app, principal, permission)
  return (device) => isAllowed(deviceResource(device))
}

/** Devices in scope of each right, for one state of the fleet. */
const scopesOf = new WeakMap<readonly FleetEntry[], Map<Right, readonly FleetEntry[]>>()
const maxScopes = 256

/** The devices on which a principal holds a permission, oldest first; worked out anew when rules change or devices move. */
export function devicesInScope(app: App, principal: Principal, permission: DevicePermission): readonly FleetEntry[] {
  const { entries } = app.fleet
  const isAllowed = rightOf(app, principal, permission)
  const scopes = scopesOf.get(entries) ?? new Map<Right, readonly FleetEntry[]>()
  scopesOf.set(entries, scopes)
  const known = scopes.get(isAllowed)
  if (known) {
    return known
  }
  if (scopes.size >= maxScopes) {
    scopes.clear()
  }
  const allowed = entries.filter(({ device }) => isAllowed(deviceResource(device)))
  const scope = allowed.length === entries.length ? entries : allowed
  scopes.set(isAllowed, scope)
  return scope
}

interface Reach {
  /** The tenant that the request names: a device of another one is out of reach. */
  tenantId?: string | undefined
  /** Status for what is out of reach. */
  outOfReach?: 400 | undefined
}

/** The device, if the principal holds the permission on it. Out of reach is 404; in reach but not allowed is 403. */
export function permitDevice(
  app: App,
  principal: Principal,
  permission: DevicePermission,
  id: string,
  { tenantId, outOfReach }: Reach = {},
): DeviceState {
  const device = app.fleet.get(id)
  const isReadable = device !== undefined && deviceScope(app, principal, 'device.read')(device)
  if (!isReadable || (tenantId !== undefined && device.tenantId !== tenantId)) {
    throw outOfReach ? new AppError(outOfReach, 'This device does not belong to the tenant.') : notFound('device')
  }
  if (!deviceScope(app, principal, permission)(device)) {
    throw forbidden(`You do not have the permission ${permission} on this device.`)
  }
  return device
}
