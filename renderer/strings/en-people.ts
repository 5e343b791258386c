import type { PresetName } from '../../shared/access.ts'
import { roles as roleTable } from '../../shared/roles.ts'
import { count } from './counts.ts'

const number = (value: number) => count(value, 'person', 'people')

/** Hints that say what the presets allow. */
const hints: Record<PresetName, string> = {
  'Server Administrator': 'Everything on the server: tenants, settings, rights.',
  'Tenant Administrator': 'People, groups, rights, customers and keys of your organization.',
  'Device Superuser': 'Everything on all devices: control, terminal, files, power.',
  'Agent Installer': 'Adds devices, and makes installer keys.',
  'Installer Key Manager': 'Makes and revokes installer keys.',
  'Service Account Manager': 'Makes service accounts and their keys.',
  'Self Service': 'Makes access tokens for the own account.',
}

/** Presets as roles; their names are those of every page. */
const roles = Object.fromEntries(
  Object.entries(hints).map(([name, hint]) => [name, { name: roleTable[name as PresetName].title, hint }]),
) as Record<PresetName, { name: string; hint: string }>

/** Texts of the page of people. */
export const people = {
  title: 'People',
  intro: 'Who may sign in, how they do it, and what they may do.',
  list: 'People',
  search: 'Search name or address',
  shown: (total: number) => number(total),
  filters: 'Filters',
  show: { disabled: 'Disabled', invited: 'Invited', 'one-factor': 'Password only', guests: 'Guests' },
  inGroup: (name: string) => `In group ${name}`,
  emptyTitle: 'Nobody here yet',
  emptyHint: 'Invite the people you work with. Each signs in with an own account, and may do what you decide.',
  needs: (right: string) => `To change people you need the right “${right}”.`,

  name: 'Name',
  role: 'Role',
  lastSeen: 'Last seen',
  signsInWith: 'Signs in with',
  never: 'Never',
  you: 'You',
  disabled: 'Disabled',
  invited: 'Invited',
  guest: 'Guest',
  roles,
  narrow: (places: number) => `Rights on ${count(places, 'place', 'places')}`,
  noRole: 'No rights',
  unknownRole: 'Not visible to you',
  password: 'Password',
  passwordAndCode: 'Password and code',
  passkeys: (passkeys: number) => count(passkeys, 'passkey', 'passkeys'),
  noWay: 'No way in',
  byLink: 'Links to one device',

  invite: 'Invite',
  inviteTitle: 'Invite somebody',
  inviteMail: 'The invitation is mailed to this address, and you get its link.',
  inviteNoMail: 'This server sends no mail: you get a link to pass on.',
  inviteSubmit: 'Invite',
  invitedTitle: 'Invitation made',
  invitedHint: (email: string, isMailed: boolean) =>
    isMailed
      ? `The invitation was mailed to ${email}. The link works once, for 7 days, and is not shown again.`
      : `Pass this link on to ${email}. It works once, for 7 days, and is not shown again.`,
  inviteLink: 'Link of the invitation',
  copyLink: 'Copy link',
  withdraw: 'Withdraw invitation',
  withdrawTitle: (name: string) => `Withdraw the invitation of ${name}?`,
  withdrawHint: 'The link stops working. You can invite the same address again.',
  invitationUntil: (day: string) => `The invitation works until ${day}.`,
  invitationOver: 'The invitation has expired. Withdraw it, then invite again.',

  create: 'Create account',
  createTitle: 'Create an account',
  createEmail: 'Email',
  createPassword: 'Password',
  createPasswordHint: 'Empty: a temporary password is made and shown once.',
  createRoles: 'Role',
  createRolesHint: 'Rights on single customers, groups or devices are given later, under rights.',
  createSubmit: 'Create account',

  temporaryTitle: 'Temporary password',
  temporaryHint: (name: string) => `${name} signs in with it once and then chooses a new one. It is not shown again.`,
  temporary: 'Temporary password',
  copyPassword: 'Copy password',

  actions: 'Actions',
  resetPassword: 'Reset password',
  resetTitle: (name: string) => `Reset the password of ${name}?`,
  resetHint: 'A temporary password is made. Open sign-ins end at once; access tokens keep working.',
  resetRemains: (ways: string) => `${ways} remain, and still sign in.`,
  resetRemove: 'Remove these too',
  linkedAccounts: (logins: number) => count(logins, 'linked account', 'linked accounts'),
  and: (parts: readonly string[]) => parts.join(' and '),
  removeWays: 'Remove passkeys and linked accounts',
  removeWaysTitle: (name: string) => `Remove the other ways in of ${name}?`,
  removeWaysHint: (ways: string) => `${ways} stop working, and open sign-ins end. The password remains.`,
  turnOffCode: 'Turn off code',
  turnOffCodeTitle: (name: string) => `Turn off two-factor authentication of ${name}?`,
  turnOffCodeHint: 'For somebody who lost the phone. The password alone then signs in; open sign-ins end.',
  disable: 'Disable',
  enable: 'Enable',
  disabledToast: (name: string) => `${name} is disabled: open sign-ins and sessions have ended.`,
  enabledToast: (name: string) => `${name} can sign in again.`,
  disabledSince: (day: string) => `Disabled since ${day}. No password, passkey, linked account, token or link works.`,
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete ${name}?`,
  deleteConfirm: 'Delete account',
  deleteHint: 'This cannot be undone. To keep the account without a way in, disable it instead.',
  goesWith: 'Deleted with it:',
  goes: {
    rights: (value: number) => count(value, 'assignment of rights', 'assignments of rights'),
    groups: (value: number) => count(value, 'group membership', 'group memberships'),
    accessTokens: (value: number) => count(value, 'access token', 'access tokens'),
    signIns: (value: number) => count(value, 'open sign-in', 'open sign-ins'),
    deviceLinks: (value: number) => count(value, 'unused link to a device', 'unused links to devices'),
  },
  goesNothing: 'Nothing else: no rights, groups, tokens or sign-ins.',
  mayNotChange: (right: string) =>
    `You may not change this account: it holds “${right}”, which you do not. Ask somebody who does.`,

  facts: 'Facts',
  address: 'Address',
  confirmed: 'Confirmed',
  unconfirmed: 'Not confirmed',
  created: 'Created',
  secondFactor: 'Second factor',
  codeOn: 'Code of an authenticator app',
  passkeyIsTwo: 'Passkey, which counts as two factors',
  none: 'None',
  mustChange: 'Chooses a new password at the next sign-in',

  groups: 'Groups',
  noGroups: 'In no group.',
  addToGroup: 'Add to group',
  removeFromGroup: (name: string) => `Remove from ${name}`,
  removedFromGroup: (person: string, group: string) => `${person} was removed from ${group}.`,
  addedToGroup: (person: string, group: string) => `${person} was added to ${group}.`,
  groupsHidden: (right: string) => `To see groups you need the right “${right}”.`,

  rights: 'Rights',
  noRights: 'No rights yet, so nothing can be seen or controlled.',
  rightsHidden: (right: string) => `To see rights you need the right “${right}”.`,

  tokens: 'Access tokens',
  tokensHint: 'Programs that act as this person.',
  noTokens: 'No access tokens.',
  tokensForbidden: (right: string) => `To see access tokens of others you need the right “${right}”.`,
  newToken: 'New token',
  newTokenTitle: (name: string) => `New access token for ${name}`,
  newTokenHint: 'The token may do whatever this person may do. The person gets a notice.',
  renameToken: 'Rename',
  renameTokenTitle: 'Rename the access token',
  saveName: 'Save name',
  tokenName: 'Name',

  signIns: 'Signed in',
  noSignIns: 'Not signed in anywhere.',
  endAll: 'End all',

  activity: 'What they did',
  activityHint: 'Entries of the audit log about what this person did.',
  openLog: 'Open the audit log',

  failedSome: (failed: number) => `${number(failed)} could not be changed`,
  bulkDisabled: (done: number) => `${number(done)} disabled.`,
  bulkEnabled: (done: number) => `${number(done)} enabled.`,
  bulkAdded: (done: number, group: string) => `${number(done)} added to ${group}.`,
}

const scope = (kind: string, name: string | null) =>
  ({
    Server: 'on the whole server',
    Tenant: 'in the whole organization',
    CustomerTenant: name === null ? 'on devices of a customer' : `on devices of the customer ${name}`,
    DeviceGroup: name === null ? 'on devices of a group' : `on devices of the group ${name}`,
    Device: name === null ? 'on a device' : `on the device ${name}`,
    UserGroup: name === null ? 'on a group of people' : `on the group of people ${name}`,
  })[kind] ?? ''

/** Rights as sentences, for people and groups. */
export const heldRights = {
  scope,
  denied: 'Denied',
  off: 'Switched off',
  some: (value: number) => count(value, 'right', 'rights'),
  more: (value: number) => `${count(value, 'more right', 'more rights')}`,
  via: (name: string | null) => (name === null ? 'by a group' : `by the group ${name}`),
}

/** Texts of the page of groups of people. */
export const userGroups = {
  title: 'Groups of people',
  intro: 'People who share rights: what a group may do, each member may do.',
  list: 'Groups',
  search: 'Search name or description',
  shown: (total: number) => count(total, 'group', 'groups'),
  name: 'Name',
  description: 'Description',
  members: 'Members',
  memberCount: (value: number) => number(value),
  created: 'Created',
  create: 'New group',
  createTitle: 'New group of people',
  createSubmit: 'Create group',
  edit: 'Rename',
  editTitle: 'Change the group',
  save: 'Save',
  delete: 'Delete',
  deleteTitle: (name: string) => `Delete the group ${name}?`,
  deleteConfirm: 'Delete group',
  deleteHint: (members: number, places: number) =>
    [
      members === 0
        ? 'Nobody is in it.'
        : `What it gives is taken from ${number(members)}${places === 0 ? '' : `: rights in ${count(places, 'place', 'places')}`}.`,
      'The accounts stay. This cannot be undone.',
    ].join(' '),
  emptyTitle: 'No groups yet',
  emptyHint: 'Put technicians into a group and give rights to the group: new people then need one click.',
  emptyReader: 'An administrator of your organization has made none.',
  needs: (right: string) => `To create and change groups you need the right “${right}”.`,
  noMembers: 'Nobody is in this group.',
  addMember: 'Add people',
  findPerson: 'Name or address',
  add: 'Add',
  addOne: (name: string) => `Add ${name}`,
  added: (name: string) => `${name} was added.`,
  nobodyFound: 'Nobody matches, or they are members already.',
  removeMember: (name: string) => `Remove ${name}`,
  removed: (name: string) => `${name} was removed.`,
  gives: 'What members get',
  givesNothing: 'This group gives no rights yet.',
  showMembers: 'Show in People',
}
