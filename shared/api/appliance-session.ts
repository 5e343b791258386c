import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { PasskeyAnswerDto, PasskeyOptionsDto } from '../dtos/passkey.ts'
import {
  CurrentUserDto,
  email,
  emailConfirmation,
  newPassword,
  password,
  secondFactor,
  setupCode,
  SignInResponseDto,
} from '../dtos/user.ts'
import { mostOf } from '../row-limits.ts'

/** Cookie sign-in for users, which the customer's interface mentions without routes. */
export const applianceSession = defineRoutes('Session', {
  signIn: {
    method: 'POST',
    path: '/api/appliance/v1/session',
    summary: 'Sign in with email and password; sets the session cookie',
    access: 'anonymous',
    tenant: 'none',
    body: dto('SignInRequestDto', {
      email: email.describe('Address of the account; case does not count.'),
      password: password.describe('Checked by the server; wrong ones count towards a lock of the account.'),
      staySignedIn: z
        .boolean()
        .default(false)
        .describe('False: the cookie ends with the browser. True: the session outlives it.'),
      ...secondFactor,
    }),
    response: SignInResponseDto,
    limitedAttempts: 'all',
  },
  registration: {
    method: 'GET',
    path: '/api/appliance/v1/registration',
    summary: 'Whether a new person may register now, and whether nobody ever has',
    access: 'anonymous',
    tenant: 'none',
    response: dto('RegistrationResponseDto', {
      isOpen: z.boolean().describe('Whether a visitor can register now.'),
      isFirst: z.boolean().describe('Whether the server has no account yet: the next one becomes its administrator.'),
      themeMode: z.enum(['Auto', 'Light', 'Dark']).describe('Theme of the pages for visitors.'),
      organizationName: z
        .string()
        .nullable()
        .describe(
          'Name of the only organization of this server; null where it has several, or none with a name of its own.',
        ),
      problem: z
        .string()
        .nullable()
        .describe('Why the data cannot be opened: this server only restores a backup. Null if it serves its data.'),
    }),
  },
  register: {
    method: 'POST',
    path: '/api/appliance/v1/registration',
    summary: 'Register while registration is open, and sign in; the first person holds every preset',
    problems: { 404: 'Registration is closed.', 409: `The limit is reached: ${mostOf('organizations of a server')}.` },
    access: 'anonymous',
    tenant: 'none',
    body: dto('RegistrationRequestDto', {
      email: email.describe(
        'Name of the account and address for its mail, at most 256 characters; unique on the server.',
      ),
      password: newPassword,
      organizationName: z
        .string()
        .trim()
        .min(1)
        .max(100)
        .optional()
        .describe('Name of the new tenant, 1 to 100 characters; left out: the address.'),
      setupCode,
    }),
    response: CurrentUserDto,
    status: 201,
    limitedAttempts: 'all',
  },
  prove: {
    method: 'POST',
    path: '/api/appliance/v1/session/proof',
    summary: 'Prove that it is you who uses this session, by the password, a code or a passkey',
    description:
      'What a 403 with the code `reauthentication-required` asks for. It holds for 10 minutes; a wrong answer ends nothing.',
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    body: dto('ProveSessionRequestDto', {
      password: password.optional().describe('Password of the caller; needed where the account has one.'),
      ...secondFactor,
      passkey: PasskeyAnswerDto.optional().describe('Answer of a passkey of the caller to a challenge.'),
    }),
  },
  passkeyOptions: {
    method: 'POST',
    path: '/api/appliance/v1/session/proof/passkey-options',
    summary: 'Begin a proof with a passkey: the challenge to sign',
    problems: { 400: 'The caller has no passkey that works at this address.' },
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: PasskeyOptionsDto,
  },
  issueTicket: {
    method: 'POST',
    path: '/api/appliance/v1/session/tickets',
    summary: 'Issue a one-time ticket for a request that the browser makes by itself',
    description:
      'Sent as the query parameter `pageTicket` within a minute, the ticket stands for the page key in one request of this session, and for a day in requests with `Range` to the same address: browsers resume downloads.',
    problems: { 400: 'The caller has no session.' },
    access: 'authenticated',
    tenant: 'none',
    response: dto('PageTicketDto', { ticket: z.string().describe('Secret for one request; expires after a minute.') }),
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/api/appliance/v1/password-resets',
    summary: 'Mail a reset link, where there is a confirmed address; the answer does not tell',
    access: 'anonymous',
    tenant: 'none',
    body: dto('RequestPasswordResetDto', {
      email: email.describe('Address of the account; an unknown one is answered the same way.'),
    }),
    limitedAttempts: 'all',
  },
  confirmEmail: {
    method: 'GET',
    path: '/api/appliance/v1/email-confirmation',
    summary: 'Confirm an address: what the link in a mail leads to',
    problems: { 401: 'The link is not valid, or was used before.' },
    access: 'anonymous',
    tenant: 'none',
    query: emailConfirmation,
    response: z.string(),
    content: 'text',
  },
})
