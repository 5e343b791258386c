/**
 * Access rights by name: the closed list of permissions, the scopes at which each may be granted, the presets, and the
 * declarations of access for routes and hub methods. Evaluation of rights: `docs/rights.md`.
 */

export const scopeKinds = ['Server', 'Tenant', 'CustomerTenant', 'DeviceGroup', 'Device', 'UserGroup'] as const
export type ScopeKind = (typeof scopeKinds)[number]

export const principalKinds = ['User', 'UserGroup', 'ServiceAccount', 'PersonalAccessToken', 'LogonToken'] as const
export type PrincipalKind = (typeof principalKinds)[number]

const serverPermissions = [
  'server.authorization-logs.read',
  'server.permissions.read',
  'server.permissions.write',
  'server.service-accounts.read',
  'server.service-accounts.rotate-credentials',
  'server.service-accounts.write',
  'server.settings.write',
  'server.telemetry.read',
  'server.tenants.delete',
  'server.tenants.read',
  'server.tenants.write',
] as const

const tenantPermissions = [
  'agent.install',
  'installer-key.read',
  'installer-key.write',
  'personal-access-token.others.read',
  'personal-access-token.others.write',
  'personal-access-token.self.read',
  'personal-access-token.self.write',
  'service-account.read',
  'service-account.rotate-credentials',
  'service-account.write',
  'tenant.authorization-logs.read',
  'tenant.customers.read',
  'tenant.customers.write',
  'tenant.device-groups.read',
  'tenant.device-groups.write',
  'tenant.permissions.deny',
  'tenant.permissions.read',
  'tenant.permissions.write',
  'tenant.settings.read',
  'tenant.settings.write',
  'tenant.tags.write',
  'tenant.user-groups.read',
  'tenant.user-groups.write',
  'tenant.users.delete',
  'tenant.users.read',
  'tenant.users.write',
] as const

/** Permissions beyond the interface; granted at the server or at a tenant. */
const appliancePermissions = [
  'appliance.audit.read',
  'appliance.recordings.delete',
  'appliance.recordings.read',
] as const

/** Permissions on devices that the interface names. */
const interfacePermissions = [
  'device.agent.update',
  'device.alias.write',
  'device.chat.send',
  'device.clipboard.read',
  'device.clipboard.write',
  'device.ctrl-alt-del.send',
  'device.delete',
  'device.desktop-preview.read',
  'device.file-system.delete',
  'device.file-system.read',
  'device.file-system.transfer-download',
  'device.file-system.transfer-upload',
  'device.file-system.write',
  'device.logon-token.create',
  'device.logs.read',
  'device.overview.read',
  'device.power.manage',
  'device.read',
  'device.remote-control.block-input',
  'device.remote-control.connect',
  'device.remote-control.elevated-desktop',
  'device.remote-control.interact',
  'device.tags.write',
  'device.terminal.use',
  'device.vnc-relay.connect',
  'device.wake.send',
] as const

/** Permissions on devices beyond the interface. */
const applianceDevicePermissions = ['appliance.device.sound'] as const

export const devicePermissions = [...interfacePermissions, ...applianceDevicePermissions] as const

export type ServerPermission = (typeof serverPermissions)[number]
export type TenantPermission = (typeof tenantPermissions)[number]
export type AppliancePermission = (typeof appliancePermissions)[number]
export type DevicePermission = (typeof devicePermissions)[number]
export type GroupPermission = 'device-group.assign-devices' | 'user-group.assign-users'
export type PermissionName =
  | ServerPermission
  | TenantPermission
  | AppliancePermission
  | DevicePermission
  | GroupPermission

/** Scope kinds at which each permission may be allowed. */
export const permissions: ReadonlyMap<PermissionName, readonly ScopeKind[]> = new Map<
  PermissionName,
  readonly ScopeKind[]
>([
  ...serverPermissions.map((name) => [name, ['Server']] as const),
  ...tenantPermissions.map((name) => [name, ['Tenant']] as const),
  ...appliancePermissions.map((name) => [name, ['Server', 'Tenant']] as const),
  // Only a server service account may get an allow of a device permission at Server scope.
  ...devicePermissions.map((name) => [name, ['Device', 'DeviceGroup', 'CustomerTenant', 'Tenant', 'Server']] as const),
  ['device-group.assign-devices', ['DeviceGroup', 'Tenant']],
  ['user-group.assign-users', ['UserGroup', 'Tenant']],
])

export const isPermissionName = (name: string): name is PermissionName => permissions.has(name as PermissionName)

const agentInstaller = ['agent.install', 'installer-key.read', 'installer-key.write'] as const
const serviceAccountManager = [
  'service-account.read',
  'service-account.write',
  'service-account.rotate-credentials',
] as const

/** Bundles of permissions that are granted together. */
export const presets = {
  'Server Administrator': [
    ...serverPermissions,
    'tenant.permissions.read',
    'tenant.authorization-logs.read',
    ...appliancePermissions,
  ],
  'Tenant Administrator': [
    ...tenantPermissions,
    ...appliancePermissions,
    // No Device Superuser has it: all but `device.*` are management permissions, which protect their holders.
    ...applianceDevicePermissions,
    'device-group.assign-devices',
    'user-group.assign-users',
  ],
  'Device Superuser': interfacePermissions,
  'Agent Installer': agentInstaller,
  'Installer Key Manager': agentInstaller,
  'Service Account Manager': serviceAccountManager,
  'Self Service': ['personal-access-token.self.read', 'personal-access-token.self.write'],
} as const satisfies Record<string, readonly PermissionName[]>
export type PresetName = keyof typeof presets

/** Access declarations for routes and hub methods. */
type CommonAccess =
  | 'anonymous'
  | 'authenticated'
  | { permission: ServerPermission | AppliancePermission; on: 'server' }
  | { permission: DevicePermission; on: 'device'; at: string | number; ofNoTenant?: 400 }
  | { scope: DevicePermission }

/**
 * Access declaration of a route. Required in every declaration: forgetting it does not compile.
 * - `'anonymous'`: anyone
 * - `'authenticated'`: any valid principal; the handler sees only the principal's own things
 * - `{ permission, on: 'server' | 'tenant' }`: held there; the tenant is the tenant of the request. Holders of
 *   `orOnServer` may name any tenant instead
 * - `{ permission, on: 'device' | 'deviceGroup' | 'userGroup', at }`: the thing named by the parameter, body member or
 *   argument `at` is loaded within the principal's reach, and the permission is evaluated on it; the handler gets the
 *   thing. A thing out of reach is 404; a device outside the tenant may be `ofNoTenant`
 * - `{ scope }`: a list; the handler gets the devices on which the principal holds that permission
 */
export type RouteAccess =
  | CommonAccess
  | {
      permission: TenantPermission | AppliancePermission
      on: 'tenant'
      orOnServer?: ServerPermission | AppliancePermission
    }
  | { permission: 'device-group.assign-devices'; on: 'deviceGroup'; at: string }
  | { permission: 'user-group.assign-users'; on: 'userGroup'; at: string }

/**
 * Access declaration of a hub method: the variants that need no tenant, and `'agent'`, a connection verified as the
 * agent of a device, which the handler gets.
 */
export type HubAccess = CommonAccess | 'agent'

export type Access = RouteAccess | HubAccess

/** Server types of the things that an access may name. */
export interface Resources {
  device: unknown
  group: unknown
  devices: unknown
}

/** Resources that a handler gets because its access names them. */
export type Permitted<A extends Access, T extends Resources> = A extends 'agent' | { on: 'device' }
  ? Pick<T, 'device'>
  : A extends { on: 'deviceGroup' | 'userGroup' }
    ? Pick<T, 'group'>
    : A extends { scope: DevicePermission }
      ? Pick<T, 'devices'>
      : unknown
