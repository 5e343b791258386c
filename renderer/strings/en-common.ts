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
  reload: 'Reload',
}

/** Texts of the page for unknown addresses. */
export const notFound = {
  title: 'Page not found',
  hint: 'The address may be mistyped, or the page has moved.',
  home: 'Go to devices',
}
