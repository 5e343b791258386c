import { z } from 'zod'
import { dto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { CurrentUserDto, email, newPassword, passwordText, password, secondFactor } from '../dtos/user.ts'

export const InteractiveLoginResponseDto = dto('InteractiveLoginResponseDto', {
  requiresTwoFactor: z.boolean().describe('Whether the same request is needed with a code; the password was right.'),
  isLockedOut: z
    .boolean()
    .describe('Whether too many wrong passwords or codes locked password sign-in for a few minutes.'),
  requiresPasswordChange: z
    .boolean()
    .describe('Whether `change-password-with-credentials` must be called before tokens are issued.'),
  tokens: z
    .object({
      tokenType: z.literal('Bearer').describe('Scheme for the `Authorization` header.'),
      accessToken: z.string().describe('Sent as `Authorization: Bearer …`.'),
      expiresInSeconds: z.int().describe('Seconds until the access token expires; 3,600 unless configured otherwise.'),
      refreshToken: z
        .string()
        .describe('Exchanged for new tokens at `POST /api/auth/refresh`; 30 days unless configured otherwise.'),
    })
    .optional()
    .describe('Absent while something else is required.'),
})

const isAnotherPassword = (body: { currentPassword: string; newPassword: string }) =>
  body.newPassword !== body.currentPassword
const anotherPassword = { path: ['newPassword'], message: 'must differ from the current password' }

export const auth = defineRoutes('Auth', {
  me: {
    method: 'GET',
    path: '/api/auth/me',
    summary: 'The signed-in user',
    problems: { 404: 'The caller is no user.' },
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: CurrentUserDto,
  },
  logout: {
    method: 'POST',
    path: '/api/auth/logout',
    summary: 'End this session, or the bearer tokens of this sign-in',
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
  },
  interactiveLogin: {
    method: 'POST',
    path: '/api/auth/interactive-login',
    summary: 'Sign in for bearer tokens; 404 unless `EnableInteractiveBearerLogin` is on',
    problems: { 401: 'Email, password or code is wrong.', 404: 'Bearer tokens are switched off.' },
    access: 'anonymous',
    tenant: 'none',
    onlyWith: 'enableInteractiveBearerLogin',
    body: dto('InteractiveLoginRequestDto', {
      email: email.describe('Address of the account; case does not count.'),
      password: password.describe('Checked by the server; wrong ones count towards a lock of the account.'),
      ...secondFactor,
    }),
    response: InteractiveLoginResponseDto,
    limitedAttempts: 'all',
  },
  changePassword: {
    method: 'POST',
    path: '/api/auth/change-password',
    summary: 'Change the password of the signed-in user; their other sessions and bearer tokens end',
    access: 'authenticated',
    recentProof: true,
    tenant: 'none',
    whileSecondFactorMissing: true,
    whilePasswordChangePending: true,
    body: z
      .object({
        currentPassword: password.describe(
          'The password that is valid now; wrong ones count towards a lock of the account.',
        ),
        newPassword: newPassword.describe(`${passwordText}; must differ from the current one.`),
      })
      .refine(isAnotherPassword, anotherPassword)
      .meta({ id: 'ChangePasswordRequestDto' }),
    response: z.void(),
    failures: 'text',
    ruledMember: 'newPassword',
  },
  changePasswordWithCredentials: {
    method: 'POST',
    path: '/api/auth/change-password-with-credentials',
    summary: 'Change a password without being signed in, as when a change is required; all sessions of the user end',
    problems: { 401: 'Email or password is wrong, or the account is locked.' },
    access: 'anonymous',
    tenant: 'none',
    body: z
      .object({
        email: email.describe('Address of the account; case does not count.'),
        currentPassword: password.describe(
          'The password that is valid now; wrong ones count towards a lock of the account.',
        ),
        newPassword: newPassword.describe(`${passwordText}; must differ from the current one.`),
        ...secondFactor,
      })
      .refine(isAnotherPassword, anotherPassword)
      .meta({ id: 'ChangePasswordWithCredentialsRequestDto' }),
    response: z.void(),
    limitedAttempts: 'all',
  },
  completePasswordReset: {
    method: 'POST',
    path: '/api/auth/complete-password-reset',
    summary: 'Set a new password with the code of a reset mail',
    access: 'anonymous',
    tenant: 'none',
    body: dto('CompletePasswordResetRequestDto', {
      email: email.describe('Address that the reset mail was sent to.'),
      resetCode: z.string().min(1).max(4000).describe('Code from the mailed link; valid once.'),
      newPassword,
    }),
    response: z.void(),
    limitedAttempts: 'all',
    failures: 'text',
  },
})
