import { inviteDays } from '../../../shared/dtos/invite.ts'

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
    `The invitation of ${organization} was not accepted within ${inviteDays} days. Ask for a new one.`,
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
