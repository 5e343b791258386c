import type { PermissionName } from './access.ts'

/** Description of a permission for administrators. */
export interface PermissionText {
  displayName: string
  categoryLabel: string
  description: string
}

/** Makes the texts of permissions in one category. */
const category =
  (categoryLabel: string) =>
  (displayName: string, description: string): PermissionText => ({ displayName, categoryLabel, description })

const server = category('Server')
const organization = category('Organization')
const people = category('People and groups')
const rights = category('Rights')
const programs = category('Service accounts and access tokens')
const enrollment = category('Enrollment')
const deviceGroups = category('Device groups')
const devices = category('Devices')
const remoteControl = category('Remote control')
const files = category('Files')

/** Text of every permission. A missing one does not compile. */
export const permissionTexts: Readonly<Record<PermissionName, PermissionText>> = {
  'server.authorization-logs.read': server(
    'See changes of rights on the whole server',
    'Read who changed which rights, in every tenant and on the server itself.',
  ),
  'server.permissions.read': server(
    'See server permissions',
    'See which people and service accounts hold permissions on the whole server.',
  ),
  'server.permissions.write': server(
    'Give server permissions',
    'Give and take permissions on the whole server, change the rights of server service accounts, and create unrestricted ones.',
  ),
  'server.service-accounts.read': server(
    'See server service accounts',
    'List the service accounts of the server and their credentials, without secrets.',
  ),
  'server.service-accounts.rotate-credentials': server(
    'Renew keys of server service accounts',
    'Create, revoke and remove the API keys of server service accounts. A key gives everything that its account may do, on devices too; nobody can make one of an account that manages more than they do.',
  ),
  'server.service-accounts.write': server(
    'Manage server service accounts',
    'Create, change, disable and delete service accounts that work across tenants.',
  ),
  'server.settings.write': server('Change server settings', 'Set the server-wide notice and send test e-mails.'),
  'server.telemetry.read': server(
    'See server statistics',
    'See figures about the server and the link to its dashboard.',
  ),
  'server.tenants.delete': server('Delete tenants', 'Delete a whole tenant with its people, devices and settings.'),
  'server.tenants.read': server('See tenants', 'List the tenants of this server.'),
  'server.tenants.write': server('Manage tenants', 'Create and rename tenants.'),

  'appliance.audit.read': server(
    'Read the audit log',
    'Read and export who did what, from where and with which outcome: in one tenant, or on the whole server.',
  ),

  'appliance.recordings.read': organization(
    'Watch recordings',
    'See and export recordings of remote control and terminals, on all devices of the organization. The audit log names every reader.',
  ),
  'appliance.recordings.delete': organization(
    'Delete recordings',
    'Delete recordings before their time. The audit log names who did.',
  ),

  'tenant.authorization-logs.read': organization(
    'See changes of rights',
    'Read who changed which rights, groups and service accounts in this tenant.',
  ),
  'tenant.customers.read': organization('See customers', 'List customers and their details.'),
  'tenant.customers.write': organization(
    'Manage customers',
    'Create, change and delete customers, and move devices between them.',
  ),
  'tenant.settings.read': organization('See settings', 'Read the settings of this tenant.'),
  'tenant.settings.write': organization(
    'Change settings',
    'Change the settings of this tenant, such as telling people that a session starts.',
  ),
  'tenant.tags.write': organization('Manage tags', 'Create, rename and delete the tags that devices can carry.'),

  'tenant.user-groups.read': people(
    'See user groups',
    'List groups of people, their members and what the groups are for.',
  ),
  'tenant.user-groups.write': people('Manage user groups', 'Create, change and delete groups of people.'),
  'user-group.assign-users': people(
    'Choose members of a user group',
    'Add people to a group and remove them. Members get every right of the group, on devices too; a group that manages more than oneself is closed. The added person gets a notice.',
  ),
  'tenant.users.read': people('See people', 'List the people of this tenant and open invitations.'),
  'tenant.users.write': people(
    'Manage people',
    'Create and invite people, and reset their passwords. Whoever has a new password can do what that person can, on devices too; nobody can reset that of somebody who manages more than they do. It is logged, and the person gets a notice.',
  ),
  'tenant.users.delete': people(
    'Delete people',
    'Delete the accounts of people, but not of those who manage more than oneself.',
  ),

  'tenant.permissions.read': rights(
    'See rights',
    'See what people, groups and service accounts are allowed and denied, and why.',
  ),
  'tenant.permissions.write': rights(
    'Give rights',
    'Give and take rights in this tenant, also such that the giver does not hold, and act on everybody in it who has no rights on the server.',
  ),
  'tenant.permissions.deny': rights(
    'Deny rights',
    'Write and remove denials, which override every right that is given. Needs "Give rights" too.',
  ),

  'service-account.read': programs(
    'See service accounts',
    'List the service accounts of this tenant and their credentials, without secrets.',
  ),
  'service-account.write': programs('Manage service accounts', 'Create, change, disable and delete service accounts.'),
  'service-account.rotate-credentials': programs(
    'Renew keys of service accounts',
    'Create, revoke and remove the API keys of service accounts. A key gives everything that its account may do, on devices too; nobody can make one of an account that manages more than they do.',
  ),
  'personal-access-token.self.read': programs(
    'See own access tokens',
    'List the personal access tokens that one created oneself.',
  ),
  'personal-access-token.self.write': programs(
    'Manage own access tokens',
    'Create, rename and delete personal access tokens for scripts that act in one’s own name.',
  ),
  'personal-access-token.others.read': programs(
    'See access tokens of others',
    'List the personal access tokens of other people, without secrets.',
  ),
  'personal-access-token.others.write': programs(
    'Manage access tokens of others',
    'Create, rename and delete personal access tokens for other people. Such a token can do what that person can, on devices too; nobody can make one for somebody who manages more than they do. It is logged, and the person gets a notice.',
  ),

  'agent.install': enrollment('Install agents', 'Add devices to this tenant by installing the agent on them.'),
  'installer-key.read': enrollment('See installer keys', 'List installer keys and which devices used them.'),
  'installer-key.write': enrollment(
    'Manage installer keys',
    'Create, rename and delete the keys that let agents register.',
  ),

  'tenant.device-groups.read': deviceGroups('See device groups', 'List groups of devices and their members.'),
  'tenant.device-groups.write': deviceGroups('Manage device groups', 'Create, change and delete groups of devices.'),
  'device-group.assign-devices': deviceGroups(
    'Choose devices of a group',
    'Add devices to a group and remove them. Rights on the group reach its devices.',
  ),

  'device.read': devices(
    'See devices',
    'See a device, its state and who is signed in on it. Nearly everything else on a device needs this too.',
  ),
  'device.overview.read': devices('Open a device', 'Open the page of a device.'),
  'device.alias.write': devices('Rename devices', 'Give a device a name of its own.'),
  'device.tags.write': devices('Tag devices', 'Add tags to a device and remove them.'),
  'device.delete': devices('Remove devices', 'Remove a device from the list and uninstall its agent.'),
  'device.logs.read': devices('Read agent logs', 'List and read the log files of the agent on a device.'),
  'device.desktop-preview.read': devices('See desktop previews', 'See a small still picture of a desktop.'),
  'device.wake.send': devices('Wake devices', 'Wake a sleeping device over its network.'),
  'device.power.manage': devices('Restart and shut down', 'Restart a device or shut it down.'),
  'device.agent.update': devices('Update agents', 'Make the agent on a device update itself now.'),
  'device.terminal.use': devices('Use a terminal', 'Run commands on a device with the rights of its system.'),
  'device.chat.send': devices('Chat', 'Exchange messages with the person at a device.'),
  'device.logon-token.create': devices(
    'Create logon links',
    'Create links that let another product or person open exactly this device for a short time.',
  ),

  'device.remote-control.connect': remoteControl(
    'Watch the screen',
    'Open a remote control session and see the screen.',
  ),
  'device.remote-control.interact': remoteControl(
    'Use mouse and keyboard',
    'Send mouse and keyboard input in a session.',
  ),
  'device.remote-control.block-input': remoteControl(
    'Block local input',
    'Switch off mouse and keyboard of the person at the device during a session, and blank the screens there.',
  ),
  'device.remote-control.elevated-desktop': remoteControl(
    'Control protected screens',
    'See and use sign-in and administrator prompts in a session.',
  ),
  'appliance.device.sound': remoteControl(
    'Hear the sound',
    'Hear what a device plays, calls and meetings too, in a session. The person there sees it, and the audit log names the listener. It counts as a right to manage: giving it needs a recent proof, and only people who manage as much can act for its holder.',
  ),
  'device.clipboard.read': remoteControl('Receive the clipboard', 'Get what is copied on the device during a session.'),
  'device.clipboard.write': remoteControl(
    'Send the clipboard',
    'Put text on the clipboard of the device during a session.',
  ),
  'device.ctrl-alt-del.send': remoteControl('Send Ctrl+Alt+Del', 'Send the key combination Ctrl+Alt+Del to a device.'),
  'device.vnc-relay.connect': remoteControl('Connect to VNC', 'Reach a VNC server that runs on a device.'),

  'device.file-system.read': files('Browse files', 'List drives, folders and files of a device.'),
  'device.file-system.write': files('Create folders', 'Create folders on a device.'),
  'device.file-system.delete': files('Delete files', 'Delete files and folders of a device.'),
  'device.file-system.transfer-upload': files('Upload files', 'Copy files to a device.'),
  'device.file-system.transfer-download': files('Download files', 'Copy files and folders from a device.'),
}
