import { count } from './counts.ts'
import { quoted } from './permission-names.ts'

/** Texts of the notice that administrators show to everybody. */
export const serverNotice = {
  title: 'Notice of the administrators',
  dismiss: 'Dismiss',
}

/** Texts of the line on every page while the server cannot store. */
export const storageNotice = {
  title: 'Storage of the server',
  low: 'The disk of the server is almost full. Uploads are rejected until there is room; sessions and everything else work.',
  damaged:
    'The database of the server is damaged. Pages can be read, but nothing is stored until an administrator puts a copy in its place.',
}

/** Texts of the end of a server. */
export const decommission = {
  title: 'Decommission',
  banner: 'This server is being decommissioned: every agent that reports uninstalls itself, and its device is deleted.',
  runs: 'Every agent that reports uninstalls itself, and its device is deleted with its history. Ending this keeps the devices that have not reported yet.',
  hint: 'Gives this server up: every agent that reports uninstalls itself, and its device is deleted with its history. Devices that are offline follow when they come back. This cannot be undone for a device that has reported.',
  name: (computer: string) => `To begin, type the name of this server: ${computer}`,
  begin: 'Remove all agents',
  end: 'End the decommission',
}

/** Texts of the Server page. */
export const server = {
  title: 'Server',
  intro: 'State and settings of this Farhand server.',
  parts: 'Parts of the settings',

  state: 'State',
  version: 'Version',
  running: 'Running since',
  uptime: (time: string) => `(${time})`,
  computer: 'Computer',
  database: 'Database',
  databaseSize: (size: string, log: string) => `${size}, write-ahead log ${log}`,
  lastBackup: 'Last backup',
  free: 'Free disk space',
  log: 'Log file',
  noLogFile: 'none: the log goes to the terminal or the journal',
  auditLog: 'Audit log',
  events: (number: number) => count(number, 'event', 'events'),
  connections: 'Connected',
  connected: (agents: number, viewers: number, sessions: number) =>
    `${count(agents, 'device', 'devices')}, ${count(viewers, 'page or program', 'pages or programs')}, ${count(sessions, 'remote session', 'remote sessions')}`,
  totals: 'In total',
  total: (agents: number, users: number) =>
    `${count(agents, 'device', 'devices')}, ${count(users, 'person', 'people')}`,
  tenants: (number: number) => count(number, 'organization', 'organizations'),
  keys: 'Master key',
  secretStores: { keychain: 'in the keychain of this computer', file: 'in a file of the data folder' },
  folder: 'Data folder',
  settingsFile: 'Settings file',
  noFile: 'none',

  notice: 'Notice for everybody',
  noticePart: 'Notice',
  noticeHint: 'One sentence at the top of every page, such as a planned restart.',
  noticeText: 'Text',
  noticeLeft: (left: number) => `${count(left, 'character', 'characters')} left`,
  severity: 'Looks like',
  severities: { 0: 'Information', 1: 'Warning', 2: 'Error', 3: 'Success' },
  dismissable: 'People can dismiss it',
  sticky: 'Show it again at the next visit',
  shown: 'Show the notice',
  preview: 'Preview',
  save: 'Save',
  saved: 'Saved',
  discard: 'Discard',
  noticeShown: 'Shown on every page.',
  noticeHidden: 'Not shown.',

  mail: 'Mail',
  mailHint: 'Invitations, password resets and warnings about an account are mailed through this server.',
  mailOn: 'Mail is set up.',
  mailOff: 'No mail is sent: server, sender address and sender name are needed.',
  mailRight: `Changing mail settings needs ${quoted('server.permissions.write')}: links that reset passwords are mailed.`,
  test: 'Send a test mail to me',
  tested: (address: string) => `The mail server accepted the test mail to ${address}.`,
  passwordAgain: 'Enter the password again: the stored one is not sent to another server, port or user name.',
  encrypted: 'Always encrypted, except to a mail server on this computer.',

  dashboard: 'Telemetry dashboard',
  dashboardPart: 'Telemetry',
  dashboardHint: 'Opens the dashboard of your telemetry from here. Both fields are needed.',
  openDashboard: 'Open the dashboard',

  limits: 'Limits',
  limitsHint: 'How large files may be, and how long things are kept.',
  people: 'People and devices',
  peopleHint: 'What visitors and viewers find.',

  fields: {
    AppOptions__SmtpHost: ['Mail server', 'Name or address, without a port.'],
    AppOptions__SmtpPort: ['Port', '587 for STARTTLS, 465 for TLS from the start.'],
    AppOptions__SmtpUserName: ['User name', 'Leave empty if the server asks for none.'],
    AppOptions__SmtpPassword: ['Password', 'Stored encrypted, never shown again.'],
    AppOptions__SmtpEmail: ['Sender address', ''],
    AppOptions__SmtpDisplayName: ['Sender name', ''],
    AppOptions__SmtpLocalDomain: ['Greeting name', 'Only if the mail server insists on one.'],
    AppOptions__DisableEmailSending: ['Send no mail', 'Links are then given out by hand.'],
    TelemetryDashboard__PublicWebUrl: ['Address', 'https:// or http://, without a user name.'],
    TelemetryDashboard__Token: ['Browser token', 'Stored encrypted, never shown again.'],
    AppOptions__MinFreeDiskSpace: [
      'Refuse uploads below, in MiB',
      'Free space on the disk of the data folder. 0: never.',
    ],
    AppOptions__MaxFileTransferSize: [
      'Largest file, in MiB',
      'Files in transfer wait on this server’s disk for slow readers: each person may fill this much. 0: no limit.',
    ],
    AppOptions__AuditLogRetentionDays: ['Audit log, in days', '0: for ever. At least 30.'],
    AppOptions__AuthorizationChangeLogRetentionDays: ['Changes of rights, in days', '0: for ever. At least 30.'],
    AppOptions__AgentInstallerKeyHistoryDays: ['Uses of installer keys, in days', '0: for ever.'],
    AppOptions__ExternalUserCleanupAfterDays: ['Guests without activity, in days', '0: never removed.'],
    AppOptions__ServiceAccountCredentialCleanupAfterDays: [
      'Revoked and expired keys of service accounts, in days',
      '0: never removed.',
    ],
    AppOptions__EnablePublicRegistration: ['Anyone may register', 'Each visitor gets an organization of their own.'],
    AppOptions__AuthenticatorIssuerName: ['Name in authenticator apps', 'For codes that are set up from now on.'],
    AppOptions__DisableDesktopPreview: ['No pictures of desktops', 'Turns off previews for the whole server.'],
    Updates__Feed: ['Feed', 'An https address, or a folder on this computer. Empty: no new versions are looked for.'],
    Updates__AgentRings: ['Agents in rings', 'A new agent goes to one device, then to ten per cent, then to all.'],
  } as Readonly<Record<string, readonly [label: string, hint: string]>>,
  stored: 'Stored; type to replace it',
  isDefault: (value: string) => `Default: ${value}`,
  noDefault: 'not set',
  switches: { true: 'on', false: 'off' } as Readonly<Record<string, string>>,
  reset: (label: string) => `Reset ${label} to the default`,
  resetShort: 'Reset',
  lockedBy: (names: string) => `Set by ${names}: change it there and restart the server.`,
  storedUnused: 'A value is stored here too, without effect.',

  environment: 'Environment',
  inForce: 'Settings in force',
  inForceHint:
    'Later wins: default, stored here, settings file, environment. Settings of a file or the environment need a restart of the server.',
  setting: 'Setting',
  value: 'Value',
  source: 'From',
  effect: 'A change needs',
  sources: {
    default: 'Default',
    stored: 'This page',
    file: 'Settings file',
    environment: 'Environment',
    'secrets directory': 'Secrets directory',
  },
  effects: { 'at-once': 'Nothing', 'after-restart': 'Server restart' },
  secretSet: 'set, not shown',
  secretUnset: 'not set',
  onlySet: 'Changed only',
  searchSettings: 'Search settings',
  noSetting: 'No setting matches.',

  logLines: 'Log',
  logHint: 'The newest lines, at most 500.',
  logLevel: 'Level',
  logLevels: { info: 'All lines', warn: 'Warnings and errors', error: 'Errors only' },
  levels: { debug: 'Debug', info: 'Info', warn: 'Warning', error: 'Error' },
  searchLog: 'Search the log',
  noLines: 'No line matches.',
  notKept:
    'This server writes its log to the terminal or the journal of the system. With systemd: journalctl -u farhand.',
  readAgain: 'Read again',
}
