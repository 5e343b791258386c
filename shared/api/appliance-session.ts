import { z } from 'zod'
import { defineRoutes } from '../contract/route.ts'
import {
  CurrentUserDto,
  email,
  emailConfirmation,
  newPassword,
  password,
  secondFactor,
  setupCode,
} from '../dtos/user.ts'

/** Cookie sign-in for people: what the interface describes but gives no route. */
export const applianceSession = defineRoutes('Session', {
  signIn: {
    method: 'POST',
    path: '/api/appliance/v1/session',
    summary: 'Sign in with email and password; sets the session cookie',
    access: 'anonymous',
    tenant: 'none',
    body: z
      .object({ email, password, staySignedIn: z.boolean().default(false), ...secondFactor })
      .meta({ id: 'SignInRequestDto' }),
    response: z
      .object({
        isLockedOut: z.boolean(),
        requiresTwoFactor: z.boolean(),
        requiresPasswordChange: z.boolean(),
        requiresEmailConfirmation: z.boolean(),
        user: CurrentUserDto.nullable(),
      })
      .meta({
        id: 'SignInResponseDto',
        description: 'Without a user the sign-in did not happen: for the reason that is true, else a wrong answer.',
      }),
    limitedAttempts: 'all',
  },
  registration: {
    method: 'GET',
    path: '/api/appliance/v1/registration',
    summary: 'Whether a new person may register now, and whether nobody ever has',
    access: 'anonymous',
    tenant: 'none',
    response: z.object({ isOpen: z.boolean(), isFirst: z.boolean() }).meta({ id: 'RegistrationResponseDto' }),
  },
  register: {
    method: 'POST',
    path: '/api/appliance/v1/registration',
    summary: 'Register while registration is open, and sign in; the first person holds every preset',
    problems: { 404: 'Registration is closed.' },
    access: 'anonymous',
    tenant: 'none',
    body: z
      .object({
        email,
        password: newPassword,
        organizationName: z.string().trim().min(1).max(100).optional(),
        setupCode,
      })
      .meta({ id: 'RegistrationRequestDto' }),
    response: CurrentUserDto,
    status: 201,
    limitedAttempts: 'all',
  },
  prove: {
    method: 'POST',
    path: '/api/appliance/v1/session/proof',
    summary: 'Prove that it is you who uses this session, by the password or a code',
    description:
      'What a 403 with the code `reauthentication-required` asks for. It holds for 10 minutes; a wrong answer ends nothing.',
    access: 'authenticated',
    tenant: 'none',
    body: z.object({ password: password.optional(), ...secondFactor }).meta({ id: 'ProveSessionRequestDto' }),
    response: z.void(),
    status: 204,
  },
  issueTicket: {
    method: 'POST',
    path: '/api/appliance/v1/session/tickets',
    summary: 'Issue a one-time ticket for a request that the browser makes by itself',
    description:
      'Sent as the query parameter `pageTicket` within a minute, the ticket stands for the page key in one request of this session.',
    problems: { 400: 'The caller has no session.' },
    access: 'authenticated',
    tenant: 'none',
    response: z.object({ ticket: z.string() }).meta({ id: 'PageTicketDto' }),
  },
  requestPasswordReset: {
    method: 'POST',
    path: '/api/appliance/v1/password-resets',
    summary: 'Mail a reset link, where there is a confirmed address; the answer does not tell',
    access: 'anonymous',
    tenant: 'none',
    body: z.object({ email }).meta({ id: 'RequestPasswordResetDto' }),
    response: z.void(),
    status: 204,
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
