import { plural } from '../../shared/plural.ts'
import type { NoticeKind } from '../../shared/api/appliance-notices.ts'

/** Texts of the frame around every page. */
export const shell = {
  navigation: 'Main navigation',
  skip: 'Skip to the page',
  collapse: 'Collapse navigation',
  expand: 'Expand navigation',
  devices: 'Devices',
  deploy: 'Deploy',
  organization: 'Organization',
  appliance: 'Appliance',
  account: (name: string) => `Account menu of ${name}`,
  signOut: 'Sign out',
  theme: 'Theme',
  light: 'Light',
  dark: 'Dark',
  system: 'System',
  density: 'Density',
  compact: 'Compact',
  comfortable: 'Comfortable',
  about: 'About this appliance',
  shortcuts: 'Keyboard shortcuts',
  search: 'Search',
  palette: 'Search and commands',
  live: 'Live',
  liveHint: 'Changes of devices appear here as they happen.',
  connecting: 'Connecting…',
  reconnecting: (time: string) => `Offline since ${time}`,
  reconnectingHint: 'The connection to the server is lost. This page may be out of date.',
  away: (time: string) => `No connection to the server since ${time}.`,
  awayHint: 'This page may be out of date.',
  nextTry: (seconds: number) => `Next try in ${seconds} s`,
  trying: 'Trying now…',
  retry: 'Try now',
}

/** Texts of the palette. */
export const palette = {
  placeholder: 'Find a device, a person, a setting or a command',
  nothing: 'Nothing found',
  waits: 'Waiting for the server…',
  devices: 'Devices',
  people: 'People and groups',
  pages: 'Pages',
  settings: 'Settings',
  rightsOf: (name: string) => `Rights of ${name}`,
  giveTo: (name: string) => `Give rights to ${name}`,
  actions: 'Commands',
  theme: (name: string) => `Theme: ${name}`,
  density: (name: string) => `Density: ${name}`,
}

/** Texts of the list of keyboard shortcuts. */
export const shortcuts = {
  title: 'Keyboard shortcuts',
  general: 'Everywhere',
  palette: 'Search and commands (with Shift inside a terminal)',
  back: 'Back',
  goTo: (page: string) => `Go to ${page.toLowerCase()}`,
  list: 'Device list',
  search: 'Search',
  move: 'Move up and down',
  ends: 'First, last device',
  open: 'Open the device',
  pane: 'Show or hide details',
  select: 'Select',
  selectAll: 'Select all loaded devices',
  controlDevice: 'Open remote control',
  star: 'Star, or remove the star',
  rename: 'Change the alias',
  menu: 'Menu of the device',
  control: 'Remote control',
  vnc: 'VNC',
  terminal: 'Terminal',
  files: 'Files of a device',
  filter: 'Filter the folder',
  path: 'Type a path',
  openFile: 'Open the folder, download the file',
  range: 'Extend the selection',
  toggle: 'Select or deselect',
  player: 'Recording',
}

/** Texts of the About dialog. */
export const about = {
  title: 'About this appliance',
  version: 'Version',
  agent: 'Agent for devices',
  noAgent: 'none built yet',
  releaseNotes: 'What is new',
  startedAt: 'Running since',
  secretStore: 'Master key stored in',
  keychain: 'the keychain of the system',
  file: 'a key file that only the server can read',
  dataDirectory: 'Data folder',
  openDataFolder: 'Open folder',
  startAtLogin: 'Start Farhand when I log in',
  licenses: 'Open-source licenses',
}

/** Notices about changes of the user's account. */
export const notices = {
  title: 'Changes to your account or this server',
  'password-reset': (by: string, _subject: string) =>
    `${by} reset your password. If you did not ask for this, contact them.`,
  'access-token-created': (by: string, name: string) =>
    `${by} created the access token “${name}” for you. Anyone who has it can act as you.`,
  'added-to-group': (by: string, name: string) =>
    `${by} added you to the group “${name}”, which gives you its permissions.`,
  'password-changed': (_by: string, _subject: string) =>
    'Your password was changed. If this was not you, ask an administrator to reset it.',
  'email-changed': (_by: string, address: string) =>
    `The address of your account is now ${address}. If this was not you, change it back and change your password.`,
  'two-factor-enabled': (_by: string, _subject: string) =>
    'Two-factor authentication was turned on. If this was not you, change your password.',
  'two-factor-disabled': (by: string, _subject: string) =>
    `${by} turned off two-factor authentication for your account. If you did not ask for this, turn it on and change your password.`,
  'recovery-codes-renewed': (_by: string, _subject: string) =>
    'New recovery codes were made; the earlier ones no longer work. If this was not you, change your password.',
  'own-token-created': (_by: string, name: string) =>
    `The access token “${name}” was made in your name. If this was not you, revoke it and change your password.`,
  'token-revoked': (by: string, name: string) => `${by} revoked the access token “${name}”.`,
  'passkey-added': (_by: string, name: string) =>
    `The passkey “${name}” was added. If this was not you, remove it and change your password.`,
  'passkey-removed': (_by: string, name: string) =>
    `The passkey “${name}” was removed. If this was not you, change your password.`,
  'provider-linked': (_by: string, name: string) =>
    `The account ${name} was linked. If this was not you, unlink it and change your password.`,
  'provider-unlinked': (_by: string, name: string) =>
    `The account ${name} was unlinked. If this was not you, change your password.`,
  'contact-method-added': (_by: string, name: string) =>
    `The contact method “${name}” was added, and gets your alerts. If this was not you, remove it and change your password.`,
  'password-reset-by-command': (by: string, email: string) => `${by} reset the password of ${email}.`,
  'two-factor-disabled-by-command': (by: string, email: string) =>
    `${by} turned off two-factor authentication for ${email}.`,
  'administrator-made-by-command': (by: string, email: string) => `${by} made ${email} an administrator.`,
  'backup-old': () => 'No backup was made for two days. The Backup page says why.',
  'server-updated': (_by: string, version: string) => `Farhand was updated to version ${version}.`,
  'server-update-failed': (_by: string, versionAndReason: string) =>
    `Farhand could not be updated, and the previous version is running. Version ${versionAndReason} The Server page says more.`,
  'server-went-back': (_by: string, version: string) => `Farhand went back to version ${version}.`,
  times: (number: number) => `${plural(number, 'time', 'times')}, the last time`,
  more: (hidden: number) => `Show ${hidden} more`,
  dismiss: 'Got it',
} satisfies Record<NoticeKind, (by: string, subject: string) => string> & Record<string, unknown>

/** Titles of messages from the server. */
export const toasts = {
  information: 'Message',
  error: 'Error',
}

/** The part of the catalog for a session that a link began. */
export const guest = {
  label: 'Your visit',
  who: (name: string) => `You are here as ${name}, through a link to one device.`,
  allowed: (list: string) => `Allowed: ${list}.`,
  desktops: (number: number) => `Only ${plural(number, 'desktop', 'desktops')} of it.`,
  ends: (time: string, minutes: number) =>
    `Ends at ${time}, in ${minutes < 1 ? 'less than a minute' : plural(minutes, 'minute', 'minutes')}.`,
}

/** Texts of the dialog that confirms the user's identity. */
export const proof = {
  title: 'Confirm your identity',
  why: 'This action needs a recent confirmation, and your last one was more than 10 minutes ago.',
  passwordOf: (email: string) => `Password of ${email}`,
  useCode: 'Use a code instead',
  usePassword: 'Use the password instead',
  confirm: 'Confirm',
  refused: (isCode: boolean, reason: string) => `The ${isCode ? 'code' : 'password'} ${reason}.`,
  declined: 'Nothing was changed: you did not confirm your identity. Try again when you are ready.',
}

/** Texts of the notice that administrators show to everybody. */
export const serverNotice = {
  title: 'Notice of the administrators',
  dismiss: 'Dismiss',
}

/** Texts of the line on every page while the server cannot store. */
export const serversNotice = {
  title: 'Servers',
  apart:
    'Redis does not answer, so this server exchanges no messages with the others. Sessions with devices that are connected to another server may fail until it does.',
}
export const storageNotice = {
  title: 'Storage of the server',
  low: 'The disk of the server is almost full. Uploads are rejected until there is room; sessions and everything else work.',
  damaged:
    'The database of the server is damaged. Pages can be read, but nothing is stored until an administrator puts a copy in its place.',
}
