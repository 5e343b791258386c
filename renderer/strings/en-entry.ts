import { count } from './counts.ts'

/** The part of the catalog for people who cannot sign in. */
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
    `The clocks of this computer and of the server differ by ${count(seconds, 'second', 'seconds')}. If your phone agrees with this computer, the clock of the server is wrong: correct it there.`,
  locked: 'My account is locked',
  lockedHint:
    'After 5 wrong answers no more are accepted for 5 minutes. Wait, then try again. A new password ends the lock at once.',
  provider: 'My provider or passkey does not work',
  providerHint:
    'Sign in with your password instead. If you never had one, choose “I forgot my password” above: it gives you one.',
}

/** The part of the catalog for accepting an invitation. */
export const invitation = {
  title: (organization: string) => `Join ${organization}`,
  unnamed: 'Invitation',
  intro: 'Choose how you sign in from now on.',
  orWithout: 'Or without a password',
  withPasskey: 'Accept with a passkey',
  withProvider: (label: string) => `Accept with ${label}`,
  passkeyName: 'First passkey',
  takenTitle: 'You have an account here already',
  taken: (email: string, organization: string) =>
    `${email} signs in to an account of this server. Sign in with it, or ask ${organization} to invite another address.`,
  expires: (time: string) => `The invitation can be accepted until ${time}.`,
  name: 'Your name',
  nameHint: 'Shown to people at the devices that you connect to. You can leave it empty.',
  badName: 'Use letters, digits, spaces, _ and -.',
  accept: 'Accept and sign in',
  expired: (organization: string) =>
    `The invitation of ${organization} was not accepted within 7 days. Ask for a new one.`,
  ended: (organization: string) =>
    `Whoever invited you may not invite people to ${organization} any more. Ask ${organization} for a new invitation.`,
  expiredTitle: 'This invitation has expired',
  acceptedTitle: 'This invitation was accepted already',
  accepted: 'Sign in with the password that you chose.',
  unknownTitle: 'This invitation does not work',
  unknown: 'It was withdrawn, or the link is not complete. Ask for a new one.',
  refusedTitle: 'Not accepted',
  toSignIn: 'Sign in',
}

/** The part of the catalog for the first steps of a new owner. */
export const firstSteps = {
  title: 'First steps',
  intro: 'A few things that are worth a minute now. Everything can be done later, too.',
  step: (at: number, of: number) => `Step ${at} of ${of}`,
  done: 'Done:',
  skip: 'Skip',
  finish: 'Finish',
  end: 'Skip the rest',
  reminder: (at: number, of: number) => `Setup is not finished: step ${at} of ${of}.`,
  goOn: 'Continue setup',
  secure: 'Protect your account',
  secureHint:
    'You are the administrator. With an authenticator app or a passkey, a stolen password alone lets nobody in.',
  openAccount: 'Open your account',
  start: 'Start with this computer',
  startHint: 'Devices can be reached while Farhand runs. It then starts in the background when you sign in here.',
  startSwitch: 'Start at login',
  network: 'Serve your network',
  networkHint: 'Until then, only this computer reaches Farhand. The page shows the address and the certificate.',
  openNetwork: 'Open the network page',
  transfers: 'Allow files of any size',
  transfersHint:
    'Uploads and downloads are limited to 100 MiB. Without a limit, the free disk of the device decides. The Server page changes it at any time.',
  transfersFree: 'Use no limit',
  backup: 'Set up backups',
  backupHint:
    'Make a recovery key, and choose a folder on another disk. A copy of everything is made there each night.',
  device: 'Add the first device',
  deviceHint: 'Run one command on a device, and it appears in the list.',
  openDeploy: 'Open Deploy',
}

/** The part of the catalog for a session that a link began. */
export const guest = {
  label: 'Your visit',
  who: (name: string) => `You are here as ${name}, through a link to one device.`,
  allowed: (list: string) => `Allowed: ${list}.`,
  desktops: (number: number) => `Only ${count(number, 'desktop', 'desktops')} of it.`,
  ends: (time: string, minutes: number) =>
    `Ends at ${time}, in ${minutes < 1 ? 'less than a minute' : count(minutes, 'minute', 'minutes')}.`,
}

/** Texts of the page of a link to one device. */
export const deviceAccess = {
  title: 'Link to a device',
  dead: 'This link does not work',
  deadText: 'It was used already, has expired, or is not complete. Ask for a new one.',
  signIn: 'Sign in with an account',
  signedIn: 'You are signed in already',
  signedInText:
    'This link opens one device in a session of its own. To open it, this browser signs you out of your current session.',
  stay: 'Stay signed in and open the device',
  signOut: 'Sign out and open the link',
}
