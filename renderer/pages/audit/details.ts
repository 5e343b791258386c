import type { AuditKind, auditKinds } from '../../../shared/audit-kinds.ts'
import { auditValue } from '../../../shared/audit-values.ts'
import { byteSize, duration, exactTime } from '../../text/format.ts'

type DetailName = (typeof auditKinds)[AuditKind]['details'][number]

/** Labels of the details of an entry. A detail without a label does not compile. */
const labels: Readonly<Record<Exclude<DetailName, 'sealedCommand'> | 'since', string>> = {
  addresses: 'Addresses',
  after: 'After',
  afterMinutes: 'Minutes until the second',
  alertId: 'Id of the alert',
  attempts: 'Attempts',
  author: 'Author',
  batch: 'Action',
  batchId: 'Id of the batch',
  before: 'Before',
  blocks: 'Blocks',
  bundleSha256: 'SHA-256 of the program',
  by: 'Ordered by',
  bytes: 'Size',
  bytesFromDevice: 'From the device',
  bytesToDevice: 'To the device',
  cause: 'Cause',
  columns: 'Columns',
  command: 'Command',
  computer: 'Computer',
  condition: 'Condition',
  count: 'Number',
  createdAt: 'Made',
  daily: 'Daily backups kept',
  dataRestored: 'Data put back',
  deliveryId: 'Id of the delivery',
  devices: 'Devices',
  digest: 'SHA-256 of the file',
  effect: 'Effect',
  endsAt: 'Ends',
  event: 'Event',
  filters: 'Filters',
  fingerprint: 'Fingerprint',
  first: 'First',
  firstAt: 'First',
  folder: 'Folder',
  format: 'Format',
  from: 'From version',
  guestMay: 'The guest may',
  hash: 'Hash of the last entry',
  host: 'Server of the service',
  hour: 'Hour',
  into: 'Into',
  isEnabled: 'On',
  isNativeOn: 'Notifications of the system',
  isNew: 'New device',
  isOn: 'On',
  lastAt: 'Last',
  lastId: 'Number of the last entry',
  listSha256: 'SHA-256 of the whole list',
  machine: 'Machine',
  mode: 'Permission bits',
  monthly: 'Monthly backups kept',
  part: 'Part of the list',
  permission: 'Permission',
  person: 'The person there',
  place: 'Place',
  policies: 'Policies',
  problem: 'Problem',
  provider: 'Provider',
  quietHours: 'Quiet hours',
  reason: 'Reason',
  recording: 'Recording',
  recordingId: 'Id of the recording',
  ring: 'Ring',
  rule: 'Rule',
  runtime: 'System',
  scope: 'Reaches',
  scopeId: 'Id of what it reaches',
  second: 'Second',
  secondFactor: 'Second factor',
  seconds: 'Lasted',
  serverId: 'Id of the server',
  service: 'Service',
  session: 'Session',
  sessionId: 'Id of the session',
  since: 'Since',
  startedAt: 'Started',
  state: 'State',
  status: 'HTTP status',
  subject: 'Subject',
  tag: 'Tag',
  to: 'To version',
  until: 'Until',
  url: 'Address',
  value: 'Value',
  version: 'Version',
  way: 'By',
  weekly: 'Weekly backups kept',
  when: 'When',
}

type Value = string | number | boolean | null

const times = new Set(['createdAt', 'endsAt', 'firstAt', 'lastAt', 'since', 'startedAt', 'until'])

const sizes = new Set(['bytes', 'bytesFromDevice', 'bytesToDevice'])

/** Names of details that are ids, which people copy and do not read. */
export const isIdDetail = (name: string): boolean => /Id$|^(digest|hash)$|Sha256$/.test(name)

const labelOf: ReadonlyMap<string, string> = new Map(Object.entries(labels))

export const detailLabel = (name: string): string => labelOf.get(name) ?? name

export function detailText(name: string, value: Value): string {
  if (value === null) {
    return 'None'
  }
  if (typeof value === 'boolean') {
    return value ? 'Yes' : 'No'
  }
  if (typeof value === 'number') {
    return sizes.has(name) ? byteSize(value) : name === 'seconds' ? duration(value) : value.toLocaleString()
  }
  return times.has(name) && !Number.isNaN(Date.parse(value)) ? exactTime(Date.parse(value)) : auditValue(name, value)
}

const credentials: Readonly<Record<string, string>> = {
  Session: 'Sign-in in a browser',
  BearerToken: 'Sign-in of a program',
  LogonToken: 'Logon link',
  PersonalAccessToken: 'Access token',
  ServiceAccountCredential: 'API key',
  InstallerKey: 'Installer key',
}

export const credentialText = (kind: string): string => credentials[kind] ?? kind

const targets: Readonly<Record<string, string>> = {
  user: 'User',
  'service-account': 'Service account',
  token: 'Token or link',
  key: 'Key',
  group: 'Group',
  customer: 'Customer',
  tenant: 'Organization',
  tag: 'Tag',
  invite: 'Invitation',
  setting: 'Setting',
  file: 'File',
  rights: 'Rights',
}

export const targetText = (kind: string): string => targets[kind] ?? kind
