import { z } from 'zod'
import { dateTime, dto, id } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { email } from '../dtos/user.ts'

export const SignInHelpDto = dto('SignInHelpDto', {
  sendsMail: z.boolean().describe('Whether this server sends mail: without, nobody gets a link.'),
  hasWindow: z.boolean().describe('Whether the server runs in its desktop window, whose menu resets passwords too.'),
  command: z.string().describe('What the commands for accounts begin with on the computer of the server.'),
  now: dateTime.describe('Clock of the server, which codes of an authenticator app are compared with.'),
})
export type SignInHelpDto = z.output<typeof SignInHelpDto>

export const InvitationDto = dto('InvitationDto', {
  state: z
    .enum(['open', 'ended', 'expired', 'accepted', 'taken', 'unknown'])
    .describe(
      'Whether it can be accepted; `ended`: who made it is disabled, was deleted or may not give what it carries any more; `taken`: the address has an account on the server; `unknown`: it was withdrawn, expired long ago, or never existed.',
    ),
  email: z.string().nullable().describe('Address that was invited; null unless it is open or taken.'),
  organizationName: z.string().nullable().describe('Tenant that invited; null unless it is open, ended or expired.'),
  expiresAt: dateTime.nullable().describe('When it expires or expired; null unless it is open, ended or expired.'),
})

export const GuestDto = dto('GuestDto', {
  displayName: z.string().describe('Name that the guest was given; else the name of the account.'),
  deviceId: id.describe('The device that the link opened, and no other.'),
  desktopSessionIds: z
    .array(z.int())
    .nullable()
    .describe('System session ids of the desktops that may be opened; null for every desktop.'),
  expiresAt: dateTime.describe('When the session ends, used or not.'),
})
export type GuestDto = z.output<typeof GuestDto>

/** Ways in other than a password, and help for people who cannot sign in. */
export const applianceEntry = defineRoutes('Entry', {
  help: {
    method: 'GET',
    path: '/api/appliance/v1/sign-in/help',
    summary: 'Which help this server has for people who cannot sign in',
    access: 'anonymous',
    tenant: 'none',
    response: SignInHelpDto,
  },
  resendConfirmation: {
    method: 'POST',
    path: '/api/appliance/v1/email-confirmation',
    summary: 'Mail the confirmation link again, where there is something to confirm; the answer does not tell',
    access: 'anonymous',
    tenant: 'none',
    body: dto('ResendConfirmationDto', {
      email: email.describe('Address of the account; an unknown one is answered the same way.'),
    }),
    limitedAttempts: 'all',
  },
  invitation: {
    method: 'POST',
    path: '/api/appliance/v1/invitations/lookup',
    summary: 'Look up the invitation of a link, before it is accepted',
    access: 'anonymous',
    tenant: 'none',
    body: dto('LookUpInvitationDto', {
      activationCode: z.string().min(1).max(1000).describe('Code from the link of the invite.'),
    }),
    response: InvitationDto,
    limitedAttempts: 'all',
  },
  disableTwoFactor: {
    method: 'POST',
    path: '/api/appliance/v1/users/:userId/disable-two-factor',
    summary: 'Turn off the two-factor authentication of a user who lost the factor; their sessions end',
    problems: { 403: 'The user holds management permissions that the caller lacks.' },
    access: { permission: 'tenant.users.write', on: 'tenant' },
    recentProof: true,
    tenant: 'queryOrClaim',
    params: z.object({ userId: id.describe('The user who lost the factor.') }),
  },
  guest: {
    method: 'GET',
    path: '/api/appliance/v1/session/guest',
    summary: 'What the session of a logon token is limited to',
    access: 'authenticated',
    tenant: 'none',
    response: dto('GuestResponseDto', {
      guest: GuestDto.nullable().describe('Null for everybody who signed in by other ways.'),
    }),
  },
})
