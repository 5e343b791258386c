import { permissions, type PermissionName } from './access.ts'

/** What an administrator reads about a permission. */
export interface PermissionText {
  displayName: string
  categoryLabel: string
  description: string
}

type Texts = readonly (readonly [PermissionName, displayName: string, description: string])[]

const categories: readonly (readonly [categoryLabel: string, Texts])[] = [
  [
    'Server',
    [
      [
        'server.authorization-logs.read',
        'See changes of rights on the whole server',
        'Read who changed which rights, in every tenant and on the server itself.',
      ],
      [
        'server.permissions.read',
        'See server permissions',
        'See which people and service accounts hold permissions on the whole server.',
      ],
      [
        'server.permissions.write',
        'Give server permissions',
        'Give and take permissions on the whole server, change the rights of server service accounts, and create unrestricted ones.',
      ],
      [
        'server.service-accounts.read',
        'See server service accounts',
        'List the service accounts of the server and their credentials, without secrets.',
      ],
      [
        'server.service-accounts.rotate-credentials',
        'Renew keys of server service accounts',
        'Create, revoke and remove the API keys of server service accounts.',
      ],
      [
        'server.service-accounts.write',
        'Manage server service accounts',
        'Create, change, disable and delete service accounts that work across tenants.',
      ],
      ['server.settings.write', 'Change server settings', 'Set the server-wide notice and send test e-mails.'],
      ['server.telemetry.read', 'See server statistics', 'See figures about the server and the link to its dashboard.'],
      ['server.tenants.delete', 'Delete tenants', 'Delete a whole tenant with its people, devices and settings.'],
      ['server.tenants.read', 'See tenants', 'List the tenants of this server.'],
      ['server.tenants.write', 'Manage tenants', 'Create and rename tenants.'],
    ],
  ],
  [
    'Organization',
    [
      [
        'tenant.authorization-logs.read',
        'See changes of rights',
        'Read who changed which rights, groups and service accounts in this tenant.',
      ],
      ['tenant.customers.read', 'See customers', 'List customers and their details.'],
      [
        'tenant.customers.write',
        'Manage customers',
        'Create, change and delete customers, and move devices between them.',
      ],
      ['tenant.settings.read', 'See settings', 'Read the settings of this tenant.'],
      [
        'tenant.settings.write',
        'Change settings',
        'Change the settings of this tenant, such as telling people that a session starts.',
      ],
      ['tenant.tags.write', 'Manage tags', 'Create, rename and delete the tags that devices can carry.'],
    ],
  ],
  [
    'People and groups',
    [
      [
        'tenant.user-groups.read',
        'See user groups',
        'List groups of people, their members and what the groups are for.',
      ],
      ['tenant.user-groups.write', 'Manage user groups', 'Create, change and delete groups of people.'],
      [
        'user-group.assign-users',
        'Choose members of a user group',
        'Add people to a group and remove them. Members get every right of the group.',
      ],
      ['tenant.users.read', 'See people', 'List the people of this tenant and open invitations.'],
      ['tenant.users.write', 'Manage people', 'Create and invite people, and reset their passwords.'],
      ['tenant.users.delete', 'Delete people', 'Delete the accounts of people.'],
    ],
  ],
  [
    'Rights',
    [
      [
        'tenant.permissions.read',
        'See rights',
        'See what people, groups and service accounts are allowed and denied, and why.',
      ],
      [
        'tenant.permissions.write',
        'Give rights',
        'Give and take rights in this tenant, also such that the giver does not hold.',
      ],
      [
        'tenant.permissions.deny',
        'Deny rights',
        'Write and remove denials, which override every right that is given. Needs "Give rights" too.',
      ],
    ],
  ],
  [
    'Service accounts and access tokens',
    [
      [
        'service-account.read',
        'See service accounts',
        'List the service accounts of this tenant and their credentials, without secrets.',
      ],
      ['service-account.write', 'Manage service accounts', 'Create, change, disable and delete service accounts.'],
      [
        'service-account.rotate-credentials',
        'Renew keys of service accounts',
        'Create, revoke and remove the API keys of service accounts.',
      ],
      [
        'personal-access-token.self.read',
        'See own access tokens',
        'List the personal access tokens that one created oneself.',
      ],
      [
        'personal-access-token.self.write',
        'Manage own access tokens',
        'Create, rename and delete personal access tokens for scripts that act in one’s own name.',
      ],
      [
        'personal-access-token.others.read',
        'See access tokens of others',
        'List the personal access tokens of other people, without secrets.',
      ],
      [
        'personal-access-token.others.write',
        'Manage access tokens of others',
        'Create, rename and delete personal access tokens for other people.',
      ],
    ],
  ],
  [
    'Enrolment',
    [
      ['agent.install', 'Install agents', 'Add devices to this tenant by installing the agent on them.'],
      ['installer-key.read', 'See installer keys', 'List installer keys and which devices used them.'],
      ['installer-key.write', 'Manage installer keys', 'Create, rename and delete the keys that let agents register.'],
    ],
  ],
  [
    'Device groups',
    [
      ['tenant.device-groups.read', 'See device groups', 'List groups of devices and their members.'],
      ['tenant.device-groups.write', 'Manage device groups', 'Create, change and delete groups of devices.'],
      [
        'device-group.assign-devices',
        'Choose devices of a group',
        'Add devices to a group and remove them. Rights on the group reach its devices.',
      ],
    ],
  ],
  [
    'Devices',
    [
      [
        'device.read',
        'See devices',
        'See a device, its state and who is signed in on it. Nearly everything else on a device needs this too.',
      ],
      ['device.overview.read', 'Open a device', 'Open the page of a device.'],
      ['device.alias.write', 'Rename devices', 'Give a device a name of its own.'],
      ['device.tags.write', 'Tag devices', 'Add tags to a device and remove them.'],
      ['device.delete', 'Remove devices', 'Remove a device from the list and uninstall its agent.'],
      ['device.logs.read', 'Read agent logs', 'List and read the log files of the agent on a device.'],
      ['device.desktop-preview.read', 'See desktop previews', 'See a small still picture of a desktop.'],
      ['device.wake.send', 'Wake devices', 'Wake a sleeping device over its network.'],
      ['device.power.manage', 'Restart and shut down', 'Restart a device or shut it down.'],
      ['device.agent.update', 'Update agents', 'Make the agent on a device update itself now.'],
      ['device.terminal.use', 'Use a terminal', 'Run commands on a device with the rights of its system.'],
      ['device.chat.send', 'Chat', 'Exchange messages with the person at a device.'],
      [
        'device.logon-token.create',
        'Create logon links',
        'Create links that let another product or person open exactly this device for a short time.',
      ],
    ],
  ],
  [
    'Remote control',
    [
      ['device.remote-control.connect', 'Watch the screen', 'Open a remote control session and see the screen.'],
      ['device.remote-control.interact', 'Use mouse and keyboard', 'Send mouse and keyboard input in a session.'],
      [
        'device.remote-control.block-input',
        'Block local input',
        'Switch off mouse and keyboard of the person at the device during a session.',
      ],
      [
        'device.remote-control.elevated-desktop',
        'Control protected screens',
        'See and use sign-in and administrator prompts in a session.',
      ],
      ['device.clipboard.read', 'Receive the clipboard', 'Get what is copied on the device during a session.'],
      ['device.clipboard.write', 'Send the clipboard', 'Put text on the clipboard of the device during a session.'],
      ['device.ctrl-alt-del.send', 'Send Ctrl+Alt+Del', 'Send the key combination Ctrl+Alt+Del to a device.'],
      ['device.vnc-relay.connect', 'Connect to VNC', 'Reach a VNC server that runs on a device.'],
    ],
  ],
  [
    'Files',
    [
      ['device.file-system.read', 'Browse files', 'List drives, folders and files of a device.'],
      ['device.file-system.write', 'Create folders', 'Create folders on a device.'],
      ['device.file-system.delete', 'Delete files', 'Delete files and folders of a device.'],
      ['device.file-system.transfer-upload', 'Upload files', 'Copy files to a device.'],
      ['device.file-system.transfer-download', 'Download files', 'Copy files and folders from a device.'],
    ],
  ],
]

const textByName = new Map(
  categories.flatMap(([categoryLabel, texts]) =>
    texts.map(([name, displayName, description]) => [name, { displayName, categoryLabel, description }] as const),
  ),
)

/** Every permission with its text, by name. */
export const permissionTexts: readonly (readonly [PermissionName, PermissionText])[] = [...permissions.keys()]
  .toSorted()
  .map((name) => [name, textByName.get(name)!])
