import type { SessionPolicy } from '../../shared/remote-control/policy.ts'
import { accessPermissions, type DeviceAccessPermissionsDto } from '../../shared/dtos/device-access.ts'
import type { DevicePermission } from '../../shared/access.ts'
import type { App } from '../call.ts'
import type { DeviceState } from '../memory/fleet/device-state.ts'
import type { Principal } from '../principal.ts'
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

/** The same user or account, by whatever credential. */
export const isSamePerson = (one: Principal, other: Principal): boolean =>
  one.kind === other.kind && one.id === other.id

/** Everybody ends their own sessions; others are ended by those who give and take rights in the tenant. */
export const mayEndSession = (app: App, principal: Principal, owner: Principal, { tenantId }: DeviceState): boolean =>
  isSamePerson(owner, principal) || holds(app, principal, 'tenant.permissions.write', tenantId)
