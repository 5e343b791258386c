import { plural } from '../../shared/plural.ts'
import { passwordLength } from '../../shared/dtos/user.ts'
import { deviceCount } from '../text/format.ts'

export const productName = 'Farhand'

/** Title of a browser tab. */
export const title = (page: string) => `${page} · ${productName}`

/** Hours that recur each week. */
export const weeklyHours = {
  from: 'From',
  to: 'To',
  timeZone: 'Time zone',
  days: 'Begin on',
}

/** Texts shared by all pages. */
export const common = {
  cancel: 'Cancel',
  noRight: (rights: readonly string[]) =>
    `To open this page you need the right ${rights.map((right) => `“${right}”`).join(' or ')}. Ask an administrator of your organization.`,
  close: 'Close',
  copy: 'Copy',
  copied: 'Copied',
  delete: 'Delete',
  retry: 'Try again',
  none: '–',
  unknown: 'Unknown',
  email: 'Email',
  password: 'Password',
  command: 'Command',
  continue: 'Continue',
  customer: 'Customer',
  device: 'Device',
  deviceOffline: 'The device is offline',
  whyOffline: 'See why, and what to try',
  discard: 'Discard',
  done: 'Done',
  kind: 'Kind',
  name: 'Name',
  note: 'Note',
  quality: 'Quality',
  refresh: 'Refresh',
  save: 'Save',
  searching: 'Searching…',
  state: 'State',
  requestId: (id: string) => `Request ${id}`,
}

/** Texts of general problems. */
export const problem = {
  silent: 'The server is not responding',
  silentHint: 'Check that Farhand is running and that this computer can reach it. Retrying every few seconds.',
  silentShort: 'The server is not responding. Check the connection and try again.',
  failed: 'Request failed',
  forbidden: 'You do not have permission to do this. Ask an administrator of your organization.',
  tooMany: 'Too many attempts from this address. Wait a minute, then try again.',
  crashed: 'This page stopped working',
  crashedHint: 'Other pages are not affected. Reload the page; if it happens again, report the text below.',
  crashedAwayHint: 'The server is not responding. Reload the page once the connection is back.',
  notLoaded: 'This page is not loaded',
  notLoadedHint: 'Its code did not arrive. Reload the page to try again.',
  reload: 'Reload',
}

/** Texts of the page for unknown addresses. */
export const notFound = {
  title: 'Page not found',
  hint: 'The address may be mistyped, or the page has moved.',
  home: 'Go to devices',
}

/** Texts of every list of things. */
export const lists = {
  clearSearch: 'Clear search',
  clearFilters: 'Clear filters',
  noMatch: 'Nothing matches',
  noMatchHint: 'The search or the filters hide everything.',
  moreFailed: 'The next rows could not be loaded.',
  loadingMore: 'Loading more…',
  printed: (count: number, total: number) => `Printed: ${count.toLocaleString()} of ${plural(total, 'row', 'rows')}.`,
  closePane: 'Close details',
  select: (name: string) => `Select ${name}`,
  selectShown: 'Select all shown',
  selected: (number: number) => `${plural(number, 'row', 'rows')} selected`,
  dropHidden: (number: number) => `Deselect ${number.toLocaleString()} not shown`,
  clearSelection: 'Clear selection',
  typeName: (name: string) => `Type ${name} to confirm`,
  undo: 'Undo',
  undoFailed: 'Could not be undone',
  deleteFailed: 'Could not be deleted',
  deleteBeforeSignOutFailed:
    'Some of what you deleted just before you signed out could not be deleted, and is still there.',
}

/** Texts for choosing a password. */
export const password = {
  rules: 'The password needs',
  length: `${passwordLength.min} to ${passwordLength.max} characters`,
  digit: 'a digit',
  lower: 'a lower-case letter',
  upper: 'an upper-case letter',
  met: 'met',
  unmet: 'not met yet',
  show: 'Show or hide the password',
  current: 'Current password',
  next: 'New password',
  change: 'Change password',
  changeHint: 'Every other session of yours ends. You stay signed in here.',
  changed: 'Your password is changed. Other sessions have ended.',
  wrongCurrent: 'The current password is wrong.',
  same: 'Choose another password than the current one.',
}

/** Rights as sentences, for people and groups. */
export const heldRights = {
  scope: (kind: string, name: string | null) =>
    ({
      Server: 'on the whole server',
      Tenant: 'in the whole organization',
      CustomerTenant: name === null ? 'on devices of a customer' : `on devices of the customer ${name}`,
      DeviceGroup: name === null ? 'on devices of a group' : `on devices of the group ${name}`,
      Device: name === null ? 'on a device' : `on the device ${name}`,
      UserGroup: name === null ? 'on a group of people' : `on the group of people ${name}`,
    })[kind] ?? '',
  denied: 'Denied',
  off: 'Switched off',
  some: (value: number) => plural(value, 'right', 'rights'),
  via: (name: string | null) => (name === null ? 'by a group' : `by the group ${name}`),
}

/** Texts of the dialog that deletes devices. */
export const deleteDevices = {
  title: (devicesToDelete: number, name: string) =>
    devicesToDelete === 1 ? `Delete the device “${name}”?` : `Delete ${deviceCount(devicesToDelete)}?`,
  hint: 'Deletes records and history on this server. The agent stays on each machine until you uninstall it there.',
  confirm: (number: number) => `Delete ${deviceCount(number)}`,
  failed: (number: number) =>
    `${deviceCount(number)} not deleted: you do not have permission to delete ${number === 1 ? 'it' : 'them'}.`,
}
