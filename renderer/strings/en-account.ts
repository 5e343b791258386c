/** The part of the catalogue for the first account. */
export const welcome = {
  title: 'Welcome to Farhand',
  intro: 'Create the first account. It becomes the administrator, and registration closes after it.',
  introOpen: 'Create an account. It begins an organization of its own.',
  organization: 'Organization name',
  organizationHint: 'Devices and people belong to it. You can change it later.',
  organizationPlaceholder: 'Example Ltd',
  setupCode: 'Setup code',
  setupCodeHint: 'It is shown where the server was started: in its window, or among its first lines.',
  codeForOthers: 'From another device, enter this setup code:',
  missingSetupCode: 'Enter the setup code: you are not at the server itself.',
  wrongSetupCode: 'This is not the setup code. Each start of the server makes a new one.',
  create: 'Create account',
  haveAccount: 'Already have an account?',
}

/** The part of the catalogue for signing in. */
export const signIn = {
  title: 'Sign in',
  stay: 'Stay signed in on this computer',
  submit: 'Sign in',
  wrong: 'Email or password is wrong.',
  lockedTitle: 'This account is locked for a few minutes',
  locked: 'Too many wrong passwords were tried. Wait 5 minutes and try again, or ask another administrator.',
  register: 'Create an account',
  trouble: 'Trouble signing in?',
  codeTitle: 'Enter your code',
  code: 'Code',
  codeHint: 'Six digits from your authenticator app, or a recovery code.',
  wrongCode: 'This code is wrong or was used before. Wait for the next one.',
  newPasswordTitle: 'Choose a new password',
  newPasswordHint: 'Your password was set by an administrator. Choose one that only you know.',
  samePassword: 'Choose another password than the current one.',
  ended: 'Your session has ended. Sign in again, and the page is as you left it.',
  toOpen: 'Sign in to open the page that you asked for.',
  unconfirmedTitle: 'Confirm your email address first',
  unconfirmed: 'Follow the link in the message that was sent to you when you registered.',
}

/** The part of the catalogue for a new password by mail. */
export const passwordReset = {
  requestTitle: 'Forgot your password?',
  requestIntro: 'We send a link for a new password to your address.',
  request: 'Send the link',
  requestedTitle: 'Look into your mailbox',
  requested:
    'If this address belongs to an account and was confirmed, a message is on its way. If none comes, ask an administrator for a temporary password.',
  back: 'Back to sign in',
  title: 'Choose a new password',
  submit: 'Set the password',
  done: 'Your password is changed. Sign in with it now.',
  badLinkTitle: 'This link does not fit',
  badLink: 'It belongs to another address, is older than a day, or was used before.',
  again: 'Ask for a new one',
}

/** The part of the catalogue for choosing a password, on whichever page. */
export const password = {
  rules: 'The password needs',
  length: '8 to 100 characters',
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
}

/** The part of the catalogue for the question whether it is really you. */
export const proof = {
  title: 'Confirm that it is you',
  why: 'Only you should be able to do this, and you last signed in or confirmed more than 10 minutes ago. Then it goes on by itself.',
  passwordOf: (email: string) => `Password of ${email}`,
  useCode: 'Use a code instead',
  usePassword: 'Use the password instead',
  confirm: 'Confirm',
  refused: (isCode: boolean, reason: string) => `The ${isCode ? 'code' : 'password'} ${reason}.`,
  declined: 'Nothing was changed, because you did not confirm that it is you. Try again when you are ready.',
}
