/** Texts of the welcome page. */
export const welcome = {
  title: 'Welcome to Farhand',
  intro: 'Create the first account. It becomes the administrator, and registration closes after it.',
  introOpen: 'Create an account. It gets an organization of its own.',
  organization: 'Organization name',
  organizationHint: 'Devices and people belong to it. You can change it later.',
  organizationPlaceholder: 'Example Ltd',
  setupCode: 'Setup code',
  setupCodeHint:
    'It is shown where the server was started: in its window, among its first lines, or by “farhand service status”.',
  codeForOthers: 'From another device, enter this setup code:',
  missingSetupCode: 'Enter the setup code of this server.',
  wrongSetupCode: 'This is not the setup code. Each start of the server makes a new one.',
  create: 'Create account',
  haveAccount: 'Already have an account?',
}

/** Texts of the sign-in page. */
export const signIn = {
  title: 'Sign in',
  stay: 'Stay signed in on this computer',
  submit: 'Sign in',
  wrong: 'Email or password is wrong.',
  lockedTitle: 'This account is locked for a few minutes',
  locked: 'Too many wrong passwords or codes were tried. Wait 5 minutes and try again, or ask an administrator.',
  register: 'Create an account',
  trouble: 'Trouble signing in?',
  codeTitle: 'Enter your code',
  code: 'Code',
  codeHint: 'Six digits from your authenticator app, or a recovery code.',
  wrongCode: 'This code is wrong or was used before. Wait for the next one.',
  codeTrouble: 'Codes not accepted, or phone lost?',
  newPasswordTitle: 'Choose a new password',
  newPasswordHint: 'Your password was set by an administrator. Choose one that only you know.',
  samePassword: 'Choose another password than the current one.',
  ended: 'Your session has ended. Sign in again, and the page is as you left it.',
  organization: (name: string) => `Devices of ${name}.`,
  toOpen: 'Sign in to open the page that you asked for.',
  disabledTitle: 'Account disabled',
  disabled: 'An administrator has disabled this account. Ask an administrator of your organization to enable it.',
  unconfirmedTitle: 'Confirm your email address first',
  unconfirmed: 'Follow the link in the message that was sent to you when you registered.',
  resend: 'Get another link',
}

/** Texts of the password reset pages. */
export const passwordReset = {
  title: 'Choose a new password',
  submit: 'Set the password',
  done: 'Your password is changed. Sign in with it now.',
  badLinkTitle: 'This link is not valid',
  badLink: 'It belongs to another address, is older than a day, or was used before.',
  again: 'Ask for a new one',
}

/** Texts for choosing a password. */
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

/** Texts of the dialog that confirms the user's identity. */
export const proof = {
  title: 'Confirm your identity',
  why: 'This action needs a recent confirmation, and your last one was more than 10 minutes ago.',
  passwordOf: (email: string) => `Password of ${email}`,
  useCode: 'Use a code instead',
  usePassword: 'Use the password instead',
  confirm: 'Confirm',
  refused: (isCode: boolean, reason: string) => `The ${isCode ? 'code' : 'password'} ${reason}.`,
  declined: 'Nothing was changed: you did not confirm your identity. Try again when you are ready.',
}
