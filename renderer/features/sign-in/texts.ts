import { lockout } from '../../../shared/dtos/user.ts'

/** Texts of the sign-in page. */
export const signIn = {
  title: 'Sign in',
  stay: 'Stay signed in on this computer',
  submit: 'Sign in',
  wrong: 'Email or password is wrong.',
  lockedTitle: 'This account is locked for a few minutes',
  locked: `Too many wrong passwords or codes were tried. Wait ${lockout.minutes} minutes and try again, or ask an administrator.`,
  register: 'Create an account',
  trouble: 'Trouble signing in?',
  codeTitle: 'Enter your code',
  code: 'Code',
  codeHint: 'Six digits from your authenticator app, or a recovery code.',
  wrongCode: 'This code is wrong or was used before. Wait for the next one.',
  codeTrouble: 'Codes not accepted, or phone lost?',
  newPasswordTitle: 'Choose a new password',
  newPasswordHint: 'Your password was set by an administrator. Choose one that only you know.',
  ended: 'Your session has ended. Sign in again, and the page is as you left it.',
  organization: (name: string) => `Devices of ${name}.`,
  toOpen: 'Sign in to open the page that you asked for.',
  disabledTitle: 'Account disabled',
  disabled: 'An administrator has disabled this account. Ask an administrator of your organization to enable it.',
  unconfirmedTitle: 'Confirm your email address first',
  unconfirmed: 'Follow the link in the message that was sent to you when you registered.',
  resend: 'Get another link',
}

/** The part of the catalog for passkeys. */
export const passkeys = {
  title: 'Passkeys',
  hint: 'Sign in with your fingerprint, face, PIN or security key. Nobody can guess, phish or steal a passkey from a server.',
  none: 'You have no passkey yet.',
  add: 'Add a passkey',
  nameHint: 'To recognize the passkey by, such as the device that keeps it.',
  defaultName: 'My passkey',
  host: (host: string) => `works at ${host}`,
  lastUsed: 'Last used',
  neverUsed: 'Never used',
  rename: (name: string) => `Rename ${name}`,
  remove: (name: string) => `Remove ${name}`,
  removeTitle: 'Remove this passkey?',
  removeHint: (name: string) =>
    `“${name}” no longer signs you in, and your other sessions end. Delete it on your device too: it is still offered there.`,
  removeConfirm: 'Remove passkey',
  dismissed: 'No passkey was used: the dialog was closed, or took too long.',
  knownHere: 'This device already has a passkey of your account.',
  failed: 'The passkey did not work',
  signIn: 'Sign in with a passkey',
  passwordChange:
    'An administrator has reset your password. Sign in with the temporary password to choose a new one; then passkeys work again.',
  unconfirmed: 'Follow the link in the message that was sent to you when you registered.',
  prove: 'Use a passkey',
  obstacles: {
    'not-https': (origin: string) =>
      `Passkeys need HTTPS, and ${origin} has none. On the computer of the server, open it as http://localhost instead; for other devices, serve the network on the Network page.`,
    'not-a-name': (origin: string) => {
      const url = new URL(origin)
      const isHere = /^(127\.|\[::1\])/.test(url.hostname)
      url.hostname = 'localhost'
      return isHere
        ? `Passkeys need a name, not an IP address. Open ${url.origin} in a browser to add one.`
        : 'Passkeys need a name, not an IP address. Open this server at its https address with a name: the Network page lists it.'
    },
  },
  elsewhere: (origin: string) => `Passkeys of this server work at ${origin}. Open that address to add or use one.`,
  unsupported: 'This browser does not support passkeys. Update it, or use another one.',
}

/** The part of the catalog for identity providers. */
export const providers = {
  title: 'Linked accounts',
  hint: 'Sign in with an account that you have elsewhere. Only an account that you link here signs you in.',
  or: 'or',
  signInWith: (label: string) => `Sign in with ${label}`,
  link: (label: string) => `Link ${label}`,
  unlink: (label: string) => `Unlink ${label}`,
  notLinked: 'Not linked',
  gone: 'No longer offered by this server',
  unlinkTitle: (label: string) => `Unlink ${label}?`,
  unlinkHint: (name: string) => `“${name}” no longer signs you in, and your other sessions end.`,
  elsewhere: (origin: string) => `Works at ${origin}`,
  inBrowser: (origin: string) => `Opens in a browser: sign in at ${origin} there.`,
  waiting: 'Signing in…',
  callbackFailed: 'Signing in did not work',
  noPassword: 'You have no password here? “Trouble signing in?” below says how you get one.',
  linkFailed: 'The account was not linked',
  lost: 'This sign-in was begun in another tab or browser, or was finished already. Start again.',
  back: 'Back to sign in',
  backToAccount: 'Back to your account',
  notLinkedTitle: 'This account is not linked',
  notLinkedClosed: (name: string) =>
    `Nobody here has linked ${name}. If you have an account, sign in another way and link it on the page “Your account”. Otherwise ask an administrator for an account.`,
  registerTitle: 'Create an account',
  registerIntro: (name: string) =>
    `You sign in as ${name} from now on. If you already have an account here, sign in another way and link it instead.`,
  refused: {
    password:
      'An administrator has reset your password. Sign in with the temporary password to choose a new one; then this works again.',
    email: 'Confirm your email address first: follow the link in the message that was sent to you.',
  },
}
