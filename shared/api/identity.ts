import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { emailConfirmation, secondFactor, setupCode } from '../dtos/user.ts'
import { mostOf } from '../row-limits.ts'

/**
 * Validated by the handler: invalid values are reported with the error codes of the framework that these endpoints come
 * from.
 */
const email = z.string().trim().max(256)
const password = z.string().max(1000)
const flag = z.stringbool().optional()

export const AccessTokenResponseDto = dto('AccessTokenResponseDto', {
  tokenType: z.literal('Bearer'),
  accessToken: z.string(),
  expiresIn: z.int().describe('Seconds.'),
  refreshToken: z.string(),
})

export const TwoFactorResponseDto = dto('TwoFactorResponseDto', {
  sharedKey: z.string().describe('Base32, for the authenticator app; empty once it is in use.'),
  recoveryCodesLeft: z.int(),
  recoveryCodes: z.array(z.string()).nullable().describe('Only when they are new.'),
  isTwoFactorEnabled: z.boolean(),
  isMachineRemembered: z.boolean().describe('Never: each sign-in asks.'),
})

export const InfoResponseDto = dto('InfoResponseDto', { email: z.string(), isEmailConfirmed: z.boolean() })

/** The stock identity endpoints; available only with `EnableInteractiveBearerLogin`. */
export const identity = defineRoutes('Identity', {
  register: {
    method: 'POST',
    path: '/api/auth/register',
    summary: 'Register while registration is open; makes a tenant for the new user',
    problems: { 404: 'Registration is closed.', 409: `The limit is reached: ${mostOf('organizations of a server')}.` },
    access: 'anonymous',
    tenant: 'none',
    body: dto('RegisterRequestDto', { email, password, setupCode }),
    response: z.void(),
    limitedAttempts: 'all',
  },
  login: {
    method: 'POST',
    path: '/api/auth/login',
    summary: 'Sign in for bearer tokens, or for the session cookie',
    problems: { 401: 'Not signed in: the detail is `Failed`, `LockedOut` or `RequiresTwoFactor`.' },
    access: 'anonymous',
    tenant: 'none',
    query: z.object({ useCookies: flag, useSessionCookies: flag }),
    body: dto('LoginRequestDto', { email, password, ...secondFactor }),
    response: AccessTokenResponseDto.optional(),
    status: 200,
    limitedAttempts: 'all',
  },
  refresh: {
    method: 'POST',
    path: '/api/auth/refresh',
    summary: 'New tokens for a refresh token, which works once; one that comes again ends all that came of its sign-in',
    problems: { 401: 'The refresh token is not valid.' },
    access: 'anonymous',
    tenant: 'none',
    body: dto('RefreshRequestDto', { refreshToken: z.string().max(4000) }),
    response: AccessTokenResponseDto,
  },
  confirmEmail: {
    method: 'GET',
    path: '/api/auth/confirmEmail',
    summary: 'Confirm an address with the link that was mailed to it',
    problems: { 401: 'The link is not valid, or was used before.' },
    access: 'anonymous',
    tenant: 'none',
    query: emailConfirmation,
    response: z.string(),
    content: 'text',
  },
  resendConfirmationEmail: {
    method: 'POST',
    path: '/api/auth/resendConfirmationEmail',
    summary: 'Mail the confirmation link again, where there is something to confirm',
    access: 'anonymous',
    tenant: 'none',
    body: dto('ResendConfirmationEmailRequestDto', { email }),
    response: z.void(),
    limitedAttempts: 'all',
  },
  forgotPassword: {
    method: 'POST',
    path: '/api/auth/forgotPassword',
    summary: 'Mail a reset code, where there is a confirmed address',
    access: 'anonymous',
    tenant: 'none',
    body: dto('ForgotPasswordRequestDto', { email }),
    response: z.void(),
    limitedAttempts: 'all',
  },
  resetPassword: {
    method: 'POST',
    path: '/api/auth/resetPassword',
    summary: 'Set a new password with a reset code',
    access: 'anonymous',
    tenant: 'none',
    body: dto('ResetPasswordRequestDto', { email, resetCode: z.string().max(4000), newPassword: password }),
    response: z.void(),
    limitedAttempts: 'all',
  },
  manageTwoFactor: {
    method: 'POST',
    path: '/api/auth/manage/2fa',
    summary: 'See and change two-factor authentication; a change ends other sessions and bearer tokens of the user',
    recentProof: true,
    problems: { 404: 'The caller is no user.' },
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    body: dto('TwoFactorRequestDto', {
      enable: z.boolean().nullish(),
      twoFactorCode: secondFactor.twoFactorCode,
      resetSharedKey: z.boolean().default(false),
      resetRecoveryCodes: z.boolean().default(false),
      forgetMachine: z.boolean().default(false),
    }),
    response: TwoFactorResponseDto,
  },
  info: {
    method: 'GET',
    path: '/api/auth/manage/info',
    summary: 'Address of the signed-in user',
    problems: { 404: 'The caller is no user.' },
    access: 'authenticated',
    tenant: 'none',
    response: InfoResponseDto,
  },
  changeInfo: {
    method: 'POST',
    path: '/api/auth/manage/info',
    summary: 'Change the password, or ask for another address, which then has to be confirmed',
    recentProof: true,
    problems: { 404: 'The caller is no user.' },
    access: 'authenticated',
    tenant: 'none',
    body: dto('InfoRequestDto', {
      newEmail: email.nullish(),
      newPassword: password.nullish(),
      oldPassword: password.nullish(),
    }),
    response: InfoResponseDto,
    limitedAttempts: 'all',
  },
})
