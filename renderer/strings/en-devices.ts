import { devices as countOf } from './counts.ts'

/** Texts of the device list. */
export const devices = {
  title: 'Devices',
  intro: 'Every machine with an agent that you may see.',
  add: 'Add a device',
  search: 'Search name, address, host or user',
  searchHint: 'Also tag:web, customer:"Contoso", disk:>90, is:online, note:toner, ip:10.0.4, mac:0a:1b',
  filters: 'Filters',
  hidden: (number: number) => `${number.toLocaleString()} hidden by filters`,
  showAll: 'Show all',
  shown: countOf,
  searchWaits: 'Waiting for the server. The list shows the previous search.',
  columns: 'Columns',
  exportCsv: 'Export CSV',
  exportHint: 'Saves every device that the filters match as CSV, with the chosen columns in this order.',
  exportFailed: 'The list could not be exported.',
  resetColumns: 'Reset columns',
  selected: (number: number) => `${number.toLocaleString()} selected`,
  selectedOf: (number: number, hidden: number, total: number) =>
    hidden > 0
      ? `${number.toLocaleString()} selected, ${hidden < number ? `${hidden.toLocaleString()} not` : number === 1 ? 'not' : 'none'} in this list`
      : number < total
        ? `${number.toLocaleString()} of ${total.toLocaleString()} selected`
        : `${number.toLocaleString()} selected`,
  dropHidden: (number: number) => (number === 1 ? 'Deselect it' : 'Deselect them'),
  selectAllOf: (total: number) => `Select all ${total.toLocaleString()}`,
  selectAll: 'Select all loaded devices',
  selectRow: (name: string) => `Select ${name}`,
  sortedAt: (when: string) => `Sorted at ${when}`,
  movedSince: '; values have changed since',
  sortAgain: 'Sort again',
  sortBy: (column: string) => `Sort by ${column}`,
  resize: (column: string) => `Width of ${column}`,
  list: 'Devices',
  status: 'Status',
  details: 'Details',
  customers: {
    title: 'Customers',
    show: 'Show customers',
    hide: 'Hide customers',
    all: 'All devices',
    none: 'No customer',
    dropHint: 'Drag devices onto a customer to move them.',
    drag: (number: number) => `Move ${countOf(number)}`,
    moveFailed: 'The devices were not moved',
  },
  paneWidth: 'Width of the details',
  os: 'OS',
  systemVersion: 'OS version',
  online: 'Online',
  offline: 'Offline',
  noMatch: 'No device matches',
  noMatchHint: (text: string) => `Nothing here has “${text}” in its name, alias, host name, addresses or users.`,
  noMatchFilter: 'The filters hide all of them.',
  searchNotes: (text: string) => `Search notes for “${text}”`,
  problems: {
    unknown: (term: string) => `There is no ${term}.`,
    unreadable: (term: string) =>
      `${term} cannot be read. Percentages look like disk:>90; is: takes online, offline, starred or outdated.`,
    'too-short': (term: string) => `${term} is too short: type three letters or more.`,
    'too-many': (term: string) => `${term} is one term too many: a search can have 20 terms, and note: only once.`,
    'not-permitted': (term: string) => `You do not have permission to search by ${term}.`,
  },
  starred: 'Starred',
  star: (name: string) => `Star ${name}`,
  unstar: (name: string) => `Remove the star of ${name}`,
  full: 'Over 90 % full',
  outdated: 'Agent outdated',
  fields: { tag: 'Tag', customer: 'Customer', group: 'Group', system: 'System', version: 'Version' },
  none: 'None',
  noValues: 'Nothing to choose from',
  findValue: (field: string) => `Find ${field.toLowerCase()}`,
  systems: {
    windows: 'Windows',
    linux: 'Linux',
    macos: 'macOS',
    unknown: 'Unknown',
    android: 'Android',
    ios: 'iOS',
  } as Readonly<Record<string, string>>,
  tags: 'Tags',
  views: {
    title: 'Views',
    none: 'Search or choose filters, then save them here.',
    own: 'Yours',
    shared: 'Shared',
    save: 'Save this view',
    name: 'Name of the view',
    share: 'Share with everybody here',
    change: (name: string) => `Change the view ${name}`,
    delete: (name: string) => `Delete the view ${name}`,
    by: (author: string) => `Shared by ${author}`,
  },
  clear: 'Clear search and filters',
  emptyTitle: 'No devices yet',
  emptyHint: 'Run one command on a machine, and it appears here within seconds.',
  emptyForReadersTitle: 'You have no rights on a device yet',
  emptyForReaders:
    'You are signed in. Ask an administrator of your organization to give you rights: the devices then appear here, without a reload.',
  emptyAction: 'Deploy the first agent',
}

/** Texts of the dialog that deletes devices. */
export const deleteDevices = {
  title: (devicesToDelete: number, name: string) =>
    devicesToDelete === 1 ? `Delete ${name}?` : `Delete ${countOf(devicesToDelete)}?`,
  hint: 'Deletes records and history on this server. The agent stays on each machine until you uninstall it there.',
  confirm: (number: number) => `Delete ${countOf(number)}`,
  failed: (number: number) =>
    `${countOf(number)} not deleted: you do not have permission to delete ${number === 1 ? 'it' : 'them'}.`,
}
