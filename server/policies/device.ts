import type { DevicePermission } from '../../shared/access.ts'
import type { App, Principal } from '../context.ts'
import { forbidden, notFound } from '../errors.ts'
import type { DeviceRow, DeviceState } from '../models/device.ts'
import { evaluator, type Resource } from './evaluate.ts'

export const deviceResource = (device: DeviceRow): Resource => ({
  kind: 'Device',
  id: device.id,
  tenantId: device.tenantId,
  customerId: null,
  groupIds: [],
})

/** The device access scope: tells for any device whether the principal holds the permission on it. */
export function deviceScope(
  app: App,
  principal: Principal,
  permission: DevicePermission,
): (device: DeviceState) => boolean {
  const isAllowed = evaluator(app.rules.of(principal.id), permission)
  return (device) => device.tenantId === principal.tenantId && isAllowed(deviceResource(device))
}

/** The device, if the principal holds the permission on it. Out of reach is 404; in reach but not allowed is 403. */
export function permitDevice(app: App, principal: Principal, permission: DevicePermission, id: string): DeviceState {
  const device = app.fleet.get(id)
  if (!device || !deviceScope(app, principal, 'device.read')(device)) {
    throw notFound('device')
  }
  if (!deviceScope(app, principal, permission)(device)) {
    throw forbidden(`You do not have the permission ${permission} on this device.`)
  }
  return device
}
