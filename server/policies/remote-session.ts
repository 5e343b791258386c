import type { SessionPolicy } from '../../shared/remote-control/policy.ts'
import { accessPermissions, type DeviceAccessPermissionsDto } from '../../shared/dtos/device-access.ts'
import type { DevicePermission } from '../../shared/access.ts'
import type { App } from '../call.ts'
import type { DeviceState } from '../mirrors/fleet/device-state.ts'
import { isTokenOfItsOwn, ownerOf, type Principal } from '../principal.ts'
import { deviceRight } from './device.ts'
import { holds } from './rights.ts'

/** Names of what may be done, each with the permission for it. */
type PermissionTable<T> = { readonly [K in keyof T]: DevicePermission }

function rightsIn<T>(table: PermissionTable<T>, app: App, principal: Principal, device: DeviceState) {
  const entries = Object.entries(table) as [keyof T, DevicePermission][]
  return Object.fromEntries(
    entries.map(([name, permission]) => [name, deviceRight(app, principal, permission)(device)]),
  ) as Record<keyof T, boolean>
}

const policyPermissions: PermissionTable<SessionPolicy> = {
  canInteract: 'device.remote-control.interact',
  canReadClipboard: 'device.clipboard.read',
  canWriteClipboard: 'device.clipboard.write',
  canBlockInput: 'device.remote-control.block-input',
}

/** What a principal may do in a remote-control session on a device. */
export const sessionPolicy = (app: App, principal: Principal, device: DeviceState): SessionPolicy =>
  rightsIn<SessionPolicy>(policyPermissions, app, principal, device)

/** What a principal may do on a device, as its page asks. */
export const accessRights = (app: App, principal: Principal, device: DeviceState): DeviceAccessPermissionsDto =>
  rightsIn<DeviceAccessPermissionsDto>(accessPermissions, app, principal, device)

/**
 * Whether a session counts as the principal's own: those of the same user or account, by whatever credential. A token
 * with rights of its own has only those that it began itself.
 */
export const isOwnSession = (principal: Principal, owner: Principal): boolean =>
  isTokenOfItsOwn(principal)
    ? ownerOf(principal) === ownerOf(owner)
    : principal.kind === owner.kind && principal.id === owner.id

/** Whether a principal whose credential has ended could come back with another one. */
export const canComeBack = (app: App, principal: Principal): boolean => {
  if (principal.isLive()) {
    return true
  }
  if (isTokenOfItsOwn(principal)) {
    return false
  }
  return principal.kind === 'User'
    ? app.accounts.get(principal.id) !== undefined
    : app.apiKeys.hasWorkingOf(principal.id)
}

/** Everybody ends their own sessions; others are ended by those who give and take rights in the tenant. */
export const mayEndSession = (app: App, principal: Principal, owner: Principal, { tenantId }: DeviceState): boolean =>
  isOwnSession(principal, owner) || holds(app, principal, 'tenant.permissions.write', tenantId)
