import {
  permissions,
  presets,
  scopeKinds,
  type DevicePermission,
  type PermissionName,
  type PresetName,
  type ScopeKind,
} from './access.ts'

/** A set of rights with a name that people use. Pages show `title`, and `says` in sentences: "may {says}". */
export interface Role {
  title: string
  says: string
  permissions: readonly PermissionName[]
}

const reading = ['device.read', 'device.overview.read'] as const satisfies readonly DevicePermission[]

const helping = [
  ...reading,
  'device.desktop-preview.read',
  'device.remote-control.connect',
  'device.remote-control.interact',
  'device.clipboard.read',
  'device.clipboard.write',
  'device.ctrl-alt-del.send',
  'device.chat.send',
  'device.wake.send',
] as const satisfies readonly DevicePermission[]

const repairing = [
  ...helping,
  'device.remote-control.block-input',
  'device.remote-control.elevated-desktop',
  'device.vnc-relay.connect',
  'device.terminal.use',
  'device.file-system.read',
  'device.file-system.write',
  'device.file-system.delete',
  'device.file-system.transfer-upload',
  'device.file-system.transfer-download',
  'device.logs.read',
  'device.power.manage',
  'device.agent.update',
  'device.alias.write',
  'device.tags.write',
] as const satisfies readonly DevicePermission[]

/** Roles on devices, smallest first; given at a tenant, a customer, a device group or a device. */
export const deviceRoles = {
  Reader: { title: 'Reader', says: 'see', permissions: reading },
  Helper: { title: 'Helper', says: 'see, control and chat with', permissions: helping },
  Technician: {
    title: 'Technician',
    says: 'control, open terminals and files of, restart and update',
    permissions: repairing,
  },
  'Device Superuser': {
    title: 'Device superuser',
    says: 'do everything with, delete and share',
    permissions: presets['Device Superuser'],
  },
} as const satisfies Record<string, Role>

/** The only titles and sentences of roles: pages, invitations and documents take the words from here. */
export const roles = {
  ...deviceRoles,
  'Agent Installer': {
    title: 'Agent installer',
    says: 'install agents and make installer keys',
    permissions: presets['Agent Installer'],
  },
  'Installer Key Manager': {
    title: 'Installer key manager',
    says: 'make, rename and revoke installer keys',
    permissions: presets['Installer Key Manager'],
  },
  'Service Account Manager': {
    title: 'Service account manager',
    says: 'manage service accounts and their keys',
    permissions: presets['Service Account Manager'],
  },
  'Self Service': {
    title: 'Self service',
    says: 'make access tokens of their own',
    permissions: presets['Self Service'],
  },
  'Tenant Administrator': {
    title: 'Administrator',
    says: 'manage people, rights, customers and settings',
    permissions: presets['Tenant Administrator'],
  },
  'Server Administrator': {
    title: 'Server administrator',
    says: 'manage this server and every organization',
    permissions: presets['Server Administrator'],
  },
} as const satisfies Record<string, Role> & Record<PresetName, Role>
export type RoleName = keyof typeof roles
export type DeviceRoleName = keyof typeof deviceRoles

export const roleNames = Object.keys(roles) as RoleName[]
export const isDeviceRole = (name: RoleName): name is DeviceRoleName => Object.hasOwn(deviceRoles, name)

/** Scopes at which a whole role can be given, widest first. */
export const roleScopes = (name: RoleName): readonly ScopeKind[] =>
  isDeviceRole(name) ? ['Tenant', 'CustomerTenant', 'DeviceGroup', 'Device'] : ['Tenant']

/** True for permissions of both server and tenant: a role at either place may hold them, so they name none. */
export function isOnBoth(name: PermissionName): boolean {
  const legal = permissions.get(name) ?? []
  return legal.includes('Server') && legal.includes('Tenant') && !legal.includes('Device')
}

/** Permissions that name no role: their holders may have had the role before, or have no more than this. */
const namesNoRole = (name: PermissionName) => isOnBoth(name) || name === 'appliance.device.sound'

/** Permissions by which a role is recognized at one kind of scope. */
export function placedAt(name: RoleName, scopeKind: ScopeKind): PermissionName[] {
  // The few that a server administrator holds at the tenant are also those of an auditor.
  if ((name === 'Server Administrator') !== (scopeKind === 'Server') && !isDeviceRole(name)) {
    return []
  }
  return roles[name].permissions.filter(
    (permission) => !namesNoRole(permission) && permissions.get(permission)!.includes(scopeKind),
  )
}

/** Same permissions as `Agent Installer`, whose title says more. */
const unnamed: RoleName = 'Installer Key Manager'

/** Roles that people choose from. */
export const offeredRoles = roleNames.filter((name) => name !== unnamed)

const candidates = new Map(
  scopeKinds.map((scopeKind) => [
    scopeKind,
    offeredRoles
      .map((name) => ({ name, placed: placedAt(name, scopeKind) }))
      .filter(({ placed }) => placed.length > 0)
      .toSorted((a, b) => b.placed.length - a.placed.length),
  ]),
)

/** Roles that permissions amount to: the largest roles, and the permissions beyond them. */
export interface HeldRoles {
  roles: RoleName[]
  beyond: PermissionName[]
}

/**
 * Names what some permissions at one scope amount to. The only answer to "which roles are these?"; permissions of
 * `wider` roles, held at a wider scope, are left out.
 */
export function rolesIn(
  held: Iterable<PermissionName>,
  scopeKind: ScopeKind,
  wider: readonly RoleName[] = [],
): HeldRoles {
  const has = new Set(held)
  const rest = new Set(has)
  const take = (name: RoleName) => roles[name].permissions.forEach((permission) => rest.delete(permission))
  wider.forEach(take)
  const found: RoleName[] = []
  for (const { name, placed } of candidates.get(scopeKind)!) {
    if (placed.every((permission) => has.has(permission)) && placed.some((permission) => rest.has(permission))) {
      found.push(name)
      take(name)
    }
  }
  return { roles: found, beyond: [...rest] }
}
