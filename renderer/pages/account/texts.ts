import { plural } from '../../../shared/plural.ts'

/** The part of the catalog for the page of one's own account. */
export const account = {
  title: 'Your account',
  intro: 'Who you are here, how you sign in, and where you are signed in.',

  profile: 'Profile',
  displayName: 'Display name',
  displayNameHint: 'Shown to people at devices. Empty: your address is shown.',
  saveName: 'Save name',
  emailByMail: 'A new address is used once you open the link that is mailed to it.',
  emailAtOnce: 'This server sends no mail: a new address is used at once.',
  changeEmail: 'Change address',
  unconfirmed: 'This address is not confirmed yet: no mail about your account is sent to it.',
  sendAgain: 'Send the link',
  linkSent: (email: string) => `A link was mailed to ${email}. Open it within 24 hours to confirm the address.`,
  emailChanged: (email: string) => `Your address is ${email}. Other sessions have ended.`,

  twoFactor: 'Two-factor authentication',
  twoFactorHint: 'Sign-in then asks for a code of an authenticator app on your phone as well.',
  on: 'On',
  off: 'Off',
  turnOn: 'Turn on',
  turnOff: 'Turn off',
  turnOnTitle: 'Turn on two-factor authentication',
  offTitle: 'Turn off two-factor authentication?',
  offHint:
    'Your password alone will be enough to sign in. Your other sessions end, and your recovery codes stop working.',
  qr: 'QR code for your authenticator app',
  scan: 'Scan this code with an authenticator app, such as Aegis, Google Authenticator or 1Password.',
  orType: 'Or type this key into the app:',
  copyKey: 'Copy the key',
  firstCode: 'Code from the app',
  firstCodeHint: 'Six digits. Your other sessions end when it is turned on.',
  wrongFirstCode: 'This code is wrong. Wait for the next one, and check the clock of your phone.',
  recoveryCodes: 'Recovery codes',
  codesHint:
    'Each code signs you in once without your phone. They are not shown again: keep them where you find them without it.',
  codesHead: (host: string) => `Recovery codes for ${host}. Each works once.`,
  codesFile: 'recovery-codes.txt',
  codesLeft: (left: number) => `${plural(left, 'recovery code', 'recovery codes')} left.`,
  newCodes: 'New recovery codes',
  print: 'Print',
  download: 'Download',
  unsaved: 'Not copied, printed or downloaded yet, and it is not shown again.',
  closeUnsaved: 'Close anyway',

  tokens: 'Access tokens',
  tokensHint: 'Programs and scripts act for you with a token instead of your password.',
  tokensForbidden: 'You do not have the right to make access tokens. Ask an administrator of your organization.',
  newToken: 'New access token',
  tokenNameHint: 'What uses the token, such as “Nightly export”.',
  tokenEnd: 'Works until',
  lifetime: (days: '30' | '90' | '365' | '') =>
    ({ '30': '30 days from now', '90': '90 days from now', '365': 'A year from now', '': 'It is revoked' })[days],
  tokenMay: 'It may do',
  maySome: 'Only what I choose',
  mayAll: 'Everything that I may do',
  createToken: 'Create token',
  newTokenTitle: 'Your new access token',
  newTokenHint: 'Copy it now: it is not shown again. Whoever has it can act in your name.',
  theToken: 'Access token',
  copyToken: 'Copy token',
  tryIt: 'Try it in a terminal:',
  curlLine: 'Command with the token',
  copyCurl: 'Copy command',
  allRights: 'Everything you may do',
  someRights: (number: number) => plural(number, 'right', 'rights'),
  noEnd: 'No end',
  endsOn: (day: string) => `Until ${day}`,
  expired: 'Expired',
  neverUsed: 'Never used',
  lastUsed: 'Last used',
  revoke: 'Revoke',
  rename: 'Rename',
  renameToken: (name: string) => `Rename ${name}`,
  renameTitle: 'Rename the access token',
  revokeOne: (name: string) => `Revoke ${name}`,
  revokeTitle: 'Revoke this access token?',
  revokeHint: (name: string) => `Programs that use “${name}” stop working at once.`,

  signedIn: 'Where you are signed in',
  signedInHint: 'End what you do not recognize, then change your password.',
  thisOne: 'This session',
  signInKinds: { DeviceLink: 'Link to one device', BearerTokens: 'Program' },
  unknownProgram: 'Unknown program',
  programOn: (program: string, system: string) => `${program} on ${system}`,
  unknownAddress: 'Unknown address',
  since: (time: string) => `Since ${time}`,
  lastSeen: 'Last seen',
  end: 'End',
  endOne: (name: string) => `End ${name}`,
  endOthers: 'End all others',
  ended: (number: number) => `${plural(number, 'session', 'sessions')} ended.`,

  preferences: 'Preferences',
  preferencesHint: 'They follow you to every browser.',
  dateLanguage: 'Language of dates',
  browserLanguage: 'Language of the browser',
  notifyOnStart: 'Tell people at a device when you start a session',
  notifyHint: 'They see your display name.',
  notifyEnforced: 'Your organization has decided this.',
}

/** Texts of the section in which people choose how they are told of alerts. */
export const notifications = {
  title: 'Notifications',
  hint: 'How alerts reach you. Addresses and tokens are encrypted, and not shown again.',
  methods: 'Contact methods',
  services: { mail: 'Mail', ntfy: 'ntfy', slack: 'Slack', teams: 'Teams', discord: 'Discord', telegram: 'Telegram' },
  serviceHints: {
    ntfy: 'Sends to a topic, on ntfy.sh or on a server of your own.',
    slack: 'In Slack, add “Incoming Webhooks” to the channel, and copy the address.',
    teams: 'In Teams, choose Workflows at the channel, “Send webhook alerts to a channel”, and copy the address.',
    discord: 'In Discord, open the settings of the channel, Integrations, Webhooks, and copy the address.',
    telegram: 'In Telegram, make a bot with @BotFather, and write to it from the chat.',
  },
  service: 'Service',
  namePlaceholder: 'Phone',
  fields: {
    ntfy: {
      address: {
        label: 'Address of the topic',
        hint: undefined,
        placeholder: 'https://ntfy.sh/a-name-that-nobody-guesses',
      },
      token: { label: 'Access token', hint: 'For a protected topic.', placeholder: 'tk_…' },
      chat: undefined,
    },
    slack: {
      address: { label: 'Address of the webhook', hint: undefined, placeholder: 'https://hooks.slack.com/services/…' },
      token: undefined,
      chat: undefined,
    },
    teams: {
      address: { label: 'Address of the workflow', hint: undefined, placeholder: 'https://….logic.azure.com/…' },
      token: undefined,
      chat: undefined,
    },
    discord: {
      address: { label: 'Address of the webhook', hint: undefined, placeholder: 'https://discord.com/api/webhooks/…' },
      token: undefined,
      chat: undefined,
    },
    telegram: {
      address: {
        label: 'Bot API server',
        hint: 'For a server of your own. Empty: Telegram’s.',
        placeholder: 'https://api.telegram.org',
      },
      token: { label: 'Token of the bot', hint: undefined, placeholder: '123456:ABC-DEF…' },
      chat: { label: 'Chat', hint: 'Id of the chat, or name of a channel.', placeholder: '-1001234567890, @alerts' },
    },
  },
  add: 'Add contact method',
  addSubmit: 'Add',
  use: (name: string) => `Use ${name}`,
  test: 'Test',
  testOne: (name: string) => `Test ${name}`,
  tested: ({
    isDelivered,
    status,
    answer,
    milliseconds,
  }: {
    isDelivered: boolean
    status: number | null
    answer: string
    milliseconds: number
  }) =>
    `${isDelivered ? 'Accepted' : 'Not accepted'} after ${milliseconds} ms: ${[status, answer].filter(Boolean).join(' ')}`,
  remove: 'Remove',
  removeOne: (name: string) => `Remove ${name}`,
  removeTitle: 'Remove this contact method?',
  removeHint: (name: string) => `Alerts no longer reach you by “${name}”. What waits for it is dropped.`,
  obstacles: {
    'no-mail-server': 'This server sends no mail. An administrator sets that up on the Server page.',
    'unconfirmed-address': 'This address is not confirmed yet: no alerts are mailed.',
  },
  nothingYet: 'Nothing sent yet',
  states: { waiting: 'Waiting since', delivered: 'Delivered', failed: 'Given up' },
  waiting: (number: number, time: string) =>
    `${plural(number, 'notification waits', 'notifications wait')} until ${time}`,
  answer: (status: number | null, answer: string | null) => [status, answer].filter(Boolean).join(' '),
  native: 'Notifications of the system',
  nativeHint: 'Open pages and the window show alerts, also in the background.',
  nativeBlocked:
    'This browser blocks notifications of this page. Allow them in its settings for this site; pages without TLS cannot show any.',
  quietHours: 'Quiet hours',
  quietHint: 'What happens meanwhile is sent as one message at their end.',
  quietNow: (time: string) => `Now, until ${time}. What happens meanwhile is sent as one message at their end.`,
  urgentPass: 'Let urgent alerts through',
  urgentHint: 'Those that nobody took up and that go to you as second on call, and those whose snooze has ended.',
}

/** Texts for people without the second factor that their organization requires. */
export const secondFactor = {
  title: 'Set up a second factor',
  intro:
    'Your organization requires one beside your password. Turn on two-factor authentication or add a passkey to continue.',
  done: 'Your second factor is set up.',
  announced: (day: string) =>
    `Your organization requires a second factor from ${day} on. Set up an authenticator app or a passkey before.`,
  setUp: 'Set up',
}
