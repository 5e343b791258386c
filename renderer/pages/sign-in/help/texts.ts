import { lockout } from '../../../../shared/dtos/user.ts'
import { plural } from '../../../../shared/plural.ts'

export const signInHelp = {
  title: 'Trouble signing in?',
  intro: 'Choose what happened.',
  back: 'Back to sign in',
  forgotten: 'I forgot my password',
  sendReset: 'Send a link for a new password',
  sentTitle: 'Look into your mailbox',
  sentReset:
    'If this address belongs to an account and was confirmed, a message is on its way. If none comes, ask an administrator for a temporary password.',
  sentConfirmation: 'If this address belongs to an account that waits for its confirmation, a message is on its way.',
  sendConfirmation: 'Send the confirmation again',
  unconfirmed: 'My address is not confirmed',
  unconfirmedHint: 'The link that confirms it works for 24 hours. Send a new one to this address.',
  unconfirmedWithoutMail: 'This server sends no mail. Ask an administrator for a temporary password.',
  noMail: 'This server sends no mail, so nobody gets a link.',
  askAdministrator: 'Ask an administrator of your organization for a temporary password.',
  onlyAdministrator: 'If you are the only administrator: go to the computer that runs Farhand.',
  inWindow: 'In its window, choose Accounts in the menu, then your account.',
  orCommand: 'Or run this command there, in the folder of Farhand, as the user who runs it:',
  command: 'Run this command there, in the folder of Farhand, as the user who runs it:',
  phoneGone: 'My phone is gone',
  recoveryCode:
    'Sign in with one of your recovery codes: enter it where the code of the app is asked for. Each works once.',
  withoutRecoveryCode: 'Without one, ask an administrator to turn off your two-factor authentication.',
  codesRejected: 'My codes are not accepted',
  codesHint: 'Codes depend on the time. Let your phone set its clock automatically, and use a code only once.',
  serverClock: (time: string) =>
    `The clock of the server says ${time}. Your phone must show the same, to half a minute.`,
  clockDiffers: (seconds: number) =>
    `The clocks of this computer and of the server differ by ${plural(seconds, 'second', 'seconds')}. If your phone agrees with this computer, the clock of the server is wrong: correct it there.`,
  locked: 'My account is locked',
  lockedHint: `After ${lockout.failures} wrong answers no more are accepted for ${lockout.minutes} minutes. Wait, then try again. A new password ends the lock at once.`,
  provider: 'My provider or passkey does not work',
  providerHint:
    'Sign in with your password instead. If you never had one, choose “I forgot my password” above: it gives you one.',
}
