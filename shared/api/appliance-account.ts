import { z } from 'zod'
import { permissions } from '../access.ts'
import { createdAt, dateTime, dto, id, listDto, ownId } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { PersonalAccessTokenResponseDto } from '../dtos/personal-access-token.ts'
import { email, secondFactor } from '../dtos/user.ts'
import { mostOf } from '../row-limits.ts'

const OwnAccountDto = dto('OwnAccountDto', {
  email: z.string().describe('Address of the account, in lower case.'),
  isEmailConfirmed: z.boolean().describe('Whether the link that was mailed to the address was opened.'),
  isMailOn: z.boolean().describe('Whether this server sends mail: then a new address is confirmed by a link.'),
  isTwoFactorEnabled: z.boolean().describe('Whether sign-in asks for a code of an authenticator app.'),
  recoveryCodesLeft: z.int().describe('Recovery codes that have not been used.'),
})

const RecoveryCodesDto = dto('RecoveryCodesDto', {
  recoveryCodes: z.array(z.string()).describe('Ten codes that work once each; shown only here.'),
})

const PermissionName = z.enum([...permissions.keys()], 'must be the name of a permission')

const OwnAccessTokenDto = PersonalAccessTokenResponseDto.extend({
  expiresAt: dateTime.nullable().describe('From when on the token is rejected; null for a token without an end.'),
  rights: z.array(PermissionName).describe('Permissions of a Restricted token, without their scopes.'),
}).meta({ id: 'OwnAccessTokenDto' })
export type OwnAccessTokenDto = z.output<typeof OwnAccessTokenDto>

export const SignInDto = dto('SignInDto', {
  id: ownId,
  kind: z
    .enum(['Browser', 'DeviceLink', 'BearerTokens'])
    .describe('DeviceLink: a browser that opened a link to one device, and may use nothing else.'),
  isCurrent: z.boolean().describe('Whether this request was made with it.'),
  createdAt,
  lastSeenAt: dateTime.describe('Last request.'),
  remoteAddress: z.string().nullable().describe('Address of the last request; null if unknown.'),
  userAgent: z.string().nullable().describe('How the program named itself when it signed in; not to be trusted.'),
})
export type SignInDto = z.output<typeof SignInDto>

const notAPerson = { 403: 'The caller did not sign in: keys and access tokens do not manage an account.' }

/** Changes that a person makes to their own account, whether bearer login is enabled or not. */
export const applianceAccount = defineRoutes('Account', {
  get: {
    method: 'GET',
    path: '/api/appliance/v1/account',
    summary: 'Address and second factor of your account',
    problems: notAPerson,
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: OwnAccountDto,
  },
  changeEmail: {
    method: 'POST',
    path: '/api/appliance/v1/account/email',
    summary: 'Change the address: by a link mailed to it, or at once where the server sends no mail',
    description:
      'The address changes when the link is opened. An address that somebody else has is then refused. With the current address, the link that confirms it is sent again.',
    problems: notAPerson,
    recentProof: true,
    limitedAttempts: 'all',
    access: 'authenticated',
    tenant: 'none',
    body: dto('ChangeEmailRequestDto', { email: email.describe('New address, at most 256 characters.') }),
    response: dto('ChangeEmailResponseDto', {
      isConfirmationSent: z.boolean().describe('Whether a link was mailed that has to be opened first.'),
    }),
  },
  setUpTwoFactor: {
    method: 'POST',
    path: '/api/appliance/v1/account/two-factor/setup',
    summary: 'Make a key for an authenticator app; sign-in changes only when a code has proved it',
    problems: { ...notAPerson, 409: 'Two-factor authentication is on: turn it off first.' },
    recentProof: true,
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    response: dto('TwoFactorSetupDto', {
      sharedKey: z.string().describe('Base32, to type into the app.'),
      uri: z.string().describe('The same as an `otpauth:` address, for a QR code.'),
    }),
  },
  enableTwoFactor: {
    method: 'POST',
    path: '/api/appliance/v1/account/two-factor',
    summary: 'Turn on two-factor authentication with the first code of the app; your other sign-ins end',
    problems: { ...notAPerson, 409: 'Two-factor authentication is on.' },
    recentProof: true,
    access: 'authenticated',
    tenant: 'none',
    whileSecondFactorMissing: true,
    body: dto('EnableTwoFactorRequestDto', {
      twoFactorCode: z.string().min(1).max(100).describe(secondFactor.twoFactorCode.description!),
    }),
    response: RecoveryCodesDto,
  },
  disableTwoFactor: {
    method: 'DELETE',
    path: '/api/appliance/v1/account/two-factor',
    summary: 'Turn off two-factor authentication; your other sign-ins end',
    problems: notAPerson,
    recentProof: true,
    access: 'authenticated',
    tenant: 'none',
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: '/api/appliance/v1/account/two-factor/recovery-codes',
    summary: 'Make ten new recovery codes; the earlier ones stop working',
    problems: { ...notAPerson, 409: 'Two-factor authentication is off.' },
    recentProof: true,
    access: 'authenticated',
    tenant: 'none',
    response: RecoveryCodesDto,
  },
  listTokens: {
    method: 'GET',
    path: '/api/appliance/v1/account/access-tokens',
    summary: 'Your access tokens, with their end and their rights',
    problems: notAPerson,
    access: { permission: 'personal-access-token.self.read', on: 'tenant' },
    tenant: 'claim',
    response: listDto('OwnAccessTokenListDto', OwnAccessTokenDto, 'Newest first, expired ones too.'),
  },
  listTokenRights: {
    method: 'GET',
    path: '/api/appliance/v1/account/access-token-rights',
    summary: 'Permissions that you can give to an access token',
    problems: notAPerson,
    access: { permission: 'personal-access-token.self.read', on: 'tenant' },
    tenant: 'claim',
    response: listDto('OwnTokenRightListDto', PermissionName, 'Those that you hold anywhere.'),
  },
  createToken: {
    method: 'POST',
    path: '/api/appliance/v1/account/access-tokens',
    summary: 'Create an access token; it is shown only here',
    problems: {
      ...notAPerson,
      409: `A limit is reached: ${mostOf('valid access tokens of a person')}, or ${mostOf('scopes of an access token')}.`,
    },
    recentProof: true,
    access: { permission: 'personal-access-token.self.write', on: 'tenant' },
    tenant: 'claim',
    body: dto('CreateOwnTokenRequestDto', {
      name: z
        .string()
        .trim()
        .min(1, 'must not be blank')
        .max(256)
        .describe('Label of 1 to 256 characters for people; need not be unique.'),
      rights: z
        .array(PermissionName)
        .max(permissions.size)
        .nullish()
        .describe('Permissions, each wherever you hold it now. Left out: whatever you may do.'),
      expiresAt: dateTime.nullish().describe('From when on the token is rejected, in the future; left out: never.'),
    }),
    response: dto('CreateOwnTokenResponseDto', {
      token: OwnAccessTokenDto.describe('The token as lists show it from now on.'),
      plainTextToken: z.string().describe('The whole value of the `x-personal-token` header. It cannot be read again.'),
    }),
    status: 201,
    location: '/api/appliance/v1/account/access-tokens',
  },
  listSignIns: {
    method: 'GET',
    path: '/api/appliance/v1/account/sign-ins',
    summary: 'Browsers and programs that are signed in as you',
    problems: notAPerson,
    access: 'authenticated',
    tenant: 'none',
    response: listDto('SignInListDto', SignInDto, 'The current one first, then the last used.'),
  },
  endSignIn: {
    method: 'DELETE',
    path: '/api/appliance/v1/account/sign-ins/:signInId',
    summary: 'End one sign-in of yours, with its open connections',
    problems: notAPerson,
    access: 'authenticated',
    tenant: 'none',
    params: z.object({ signInId: id.describe('The sign-in, by the `id` of the list.') }),
  },
  endOtherSignIns: {
    method: 'DELETE',
    path: '/api/appliance/v1/account/sign-ins',
    summary: 'End every sign-in of yours but this one',
    problems: notAPerson,
    access: 'authenticated',
    tenant: 'none',
    response: dto('EndedSignInsDto', { ended: z.int().describe('How many were ended.') }),
  },
})
