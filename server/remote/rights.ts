import type { SessionPolicy } from '../../shared/remote-control/policy.ts'
import { accessPermissions, type DeviceAccessPermissionsDto } from '../../shared/dtos/device-access.ts'
import type { DevicePermission } from '../../shared/access.ts'
import type { App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { isByLink, isTokenOfItsOwn, ownerOf, type Principal } from '../ground/principal.ts'
import { deviceRight } from '../fleet/rights.ts'
import { holds } from '../rights/rights.ts'

/** Names of rights, each with its permission. */
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
  canUseSecureDesktop: 'device.remote-control.elevated-desktop',
  canHear: 'appliance.device.sound',
}

/** Rights of a principal in a remote-control session on a device. */
export const sessionPolicy = (app: App, principal: Principal, device: DeviceState): SessionPolicy =>
  rightsIn<SessionPolicy>(policyPermissions, app, principal, device)

export const accessRights = (app: App, principal: Principal, device: DeviceState): DeviceAccessPermissionsDto =>
  rightsIn<DeviceAccessPermissionsDto>(accessPermissions, app, principal, device)

/**
 * True if a session belongs to the principal: to the same user or account, with any credential. A token with separate
 * rights has only the sessions that it started.
 */
export const isOwnSession = (principal: Principal, owner: Principal): boolean =>
  isTokenOfItsOwn(principal)
    ? ownerOf(principal) === ownerOf(owner)
    : principal.kind === owner.kind && principal.id === owner.id

/** True if a principal may see a session: its own, and those of others on a device that it may read, but not by a link. */
export const maySeeSession = (principal: Principal, owner: Principal, mayRead: boolean): boolean =>
  isOwnSession(principal, owner) || (mayRead && !isByLink(principal))

/** True if a principal whose credential has ended could return with another credential. */
export const canReturn = (app: App, principal: Principal): boolean => {
  if (principal.isLive()) {
    return true
  }
  if (isTokenOfItsOwn(principal)) {
    return false
  }
  return principal.kind === 'User'
    ? app.accounts.get(principal.id)?.isDisabled === false
    : app.apiKeys.principalOfHolder(principal.id) !== undefined
}

/** All principals may end their own sessions; principals who manage rights in the tenant may end all. */
export const mayEndSession = (app: App, principal: Principal, owner: Principal, { tenantId }: DeviceState): boolean =>
  isOwnSession(principal, owner) || holds(app, principal, 'tenant.permissions.write', tenantId)
