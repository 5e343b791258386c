/** The part of the catalogue for what surrounds every page. */
export const shell = {
  navigation: 'Main navigation',
  skip: 'Skip to the page',
  collapse: 'Collapse navigation',
  expand: 'Expand navigation',
  devices: 'Devices',
  deploy: 'Deploy',
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
  reconnectingHint: 'The connection to the server is lost. What you see is from before.',
  away: (time: string) => `No connection to the server since ${time}.`,
  awayHint: 'What you see is from then.',
  nextTry: (seconds: number) => `Next try in ${seconds} s`,
  trying: 'Trying now…',
  retry: 'Try now',
}

/** The part of the catalogue for search and commands. */
export const palette = {
  placeholder: 'Find a device, a page or a command',
  nothing: 'Nothing found',
  searching: 'Searching…',
  waits: 'The search waits for the server.',
  devices: 'Devices',
  pages: 'Pages',
  actions: 'Commands',
  theme: (name: string) => `Theme: ${name}`,
  density: (name: string) => `Density: ${name}`,
}

/** The part of the catalogue for the list of keyboard shortcuts. */
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
  rename: 'Change the alias',
  menu: 'Menu of the device',
  remove: 'Delete',
  control: 'Remote control',
  vnc: 'VNC',
  terminal: 'Terminal',
  files: 'Files of a device',
  filter: 'Filter the folder',
  path: 'Type a path',
  openFile: 'Open the folder, download the file',
  range: 'Extend the selection',
  toggle: 'Select or deselect',
}

/** The part of the catalogue for what this appliance is. */
export const about = {
  title: 'About this appliance',
  version: 'Version',
  startedAt: 'Running since',
  secretStore: 'Master key is kept in',
  keychain: 'the keychain of the system',
  file: 'a key file that only the server may read',
  dataDirectory: 'Data folder',
  openDataFolder: 'Open folder',
  startAtLogin: 'Start Farhand when I log in',
  licenses: 'Open-source licenses',
}

/** The part of the catalogue for what others did in your place. */
export const notices = {
  title: 'Done in your place',
  'password-reset': (by: string, _subject: string) =>
    `${by} reset your password. If you did not ask for that, ask them why.`,
  'access-token-created': (by: string, name: string) =>
    `${by} made the access token “${name}” for you: whoever has it can act in your name.`,
  'added-to-group': (by: string, name: string) =>
    `${by} added you to the group “${name}”: you have its rights as well.`,
  'password-reset-by-command': (by: string, email: string) => `${by} reset the password of ${email}.`,
  'two-factor-disabled-by-command': (by: string, email: string) =>
    `${by} turned off two-factor authentication of ${email}.`,
  'administrator-made-by-command': (by: string, email: string) => `${by} made ${email} an administrator.`,
  dismiss: 'Got it',
}

/** The part of the catalogue for messages that the server sends to a page. */
export const toasts = {
  information: 'Message',
  warning: 'Note',
  error: 'Error',
  success: 'Done',
}
