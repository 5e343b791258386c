import { z } from 'zod'
import { createdAt, dto, id, ownId, textOrNull } from '../contract/fields.ts'

const account = {
  id: ownId,
  userName: z.string().describe('Name that the user signs in with; an e-mail address for all but external users.'),
  email: z.string().describe('Address in lower case, at most 256 characters; unique among the users that can sign in.'),
  createdAt,
}

/** The signed-in user. */
export const CurrentUserDto = dto('CurrentUserDto', {
  ...account,
  isOnline: z.boolean().describe('Whether a viewer of the user is connected now.'),
  requirePasswordChange: z
    .boolean()
    .describe('While true, every call but those that change the password is answered 403.'),
  twoFactorEnabled: z.boolean().describe('Whether sign-in asks for a code of an authenticator app.'),
  emailConfirmed: z
    .boolean()
    .describe('Whether the user opened the link sent to `email`; true for accounts that need no confirmation.'),
  tenantId: id.describe('Tenant that the user belongs to.'),
})
export type CurrentUserDto = z.output<typeof CurrentUserDto>

/** Outcome of a sign-in. */
export const SignInResponseDto = dto(
  'SignInResponseDto',
  {
    isLockedOut: z
      .boolean()
      .describe('Whether too many wrong passwords or codes locked password sign-in for a few minutes.'),
    requiresTwoFactor: z.boolean().describe('Whether the same request is needed with a code; the password was right.'),
    requiresPasswordChange: z.boolean().describe('Whether the password must be changed before anything else.'),
    requiresEmailConfirmation: z.boolean().describe('Whether the link mailed to the address must be opened first.'),
    isDisabled: z.boolean().describe('Whether an administrator has disabled the account; the proof was right.'),
    user: CurrentUserDto.nullable().describe('The signed-in user; null when sign-in did not happen.'),
  },
  { description: 'Without a user the sign-in did not happen: for the reason that is true, else a wrong answer.' },
)
export type SignInResponseDto = z.output<typeof SignInResponseDto>

/** Consecutive wrong passwords and codes that lock an account, and for how long. */
export const lockout = { failures: 5, minutes: 5 }

/** Characters of a new password. */
export const passwordLength = { min: 8, max: 100 }

/** Reasons for rejecting a password, by the codes of the stock identity endpoints. */
export const passwordRules = {
  PasswordTooShort: `must have at least ${passwordLength.min} characters`,
  PasswordTooLong: `must have at most ${passwordLength.max} characters`,
  PasswordRequiresDigit: 'must contain a digit',
  PasswordRequiresLower: 'must contain a lower-case letter',
  PasswordRequiresUpper: 'must contain an upper-case letter',
}

/** Rules of a new password, for documents. */
export const passwordText = `${passwordLength.min} to ${passwordLength.max} characters with a digit, a lower-case and an upper-case letter`

export const newPassword = z
  .string()
  .min(passwordLength.min, passwordRules.PasswordTooShort)
  // The patterns are not matched against a longer text (T26).
  .max(passwordLength.max, { error: passwordRules.PasswordTooLong, abort: true })
  .regex(/\p{Nd}/u, passwordRules.PasswordRequiresDigit)
  .regex(/\p{Ll}/u, passwordRules.PasswordRequiresLower)
  .regex(/\p{Lu}/u, passwordRules.PasswordRequiresUpper)
  .describe(`${passwordText}.`)

/** An existing password, which only the server can check. */
export const password = z.string().min(1).max(1000)

export const email = z.string().trim().toLowerCase().max(256).pipe(z.email().max(256))

/**
 * The second factor of a sign-in; spaces and dashes are ignored, and a recovery code takes precedence over an app code.
 */
export const secondFactor = {
  twoFactorCode: z.string().max(100).nullish().describe('Six digits of the authenticator app.'),
  twoFactorRecoveryCode: z.string().max(100).nullish().describe('Works once.'),
}

/** A user, as returned to administrators of the tenant. */
export const UserResponseDto = dto('UserResponseDto', {
  ...account,
  permissions: z
    .array(z.string())
    .describe('Names that assignments to the user itself allow somewhere; those of its groups are not among them.'),
  displayName: textOrNull.describe('Name that the user wants to be called by; null if not given.'),
})
export type UserResponseDto = z.output<typeof UserResponseDto>

export const setupCode = z
  .string()
  .max(40)
  .optional()
  .describe(
    'For the first account of all, unless it is made on the machine of the server: the code that its start has shown.',
  )

/** Parameters of the link that confirms an address. */
export const emailConfirmation = z.object({
  userId: z.string().max(100).describe('The account, as named in the mailed link.'),
  code: z.string().max(4000).describe('Code of the mailed link; valid once.'),
  changedEmail: z.string().max(256).optional().describe('The address that takes the place of the old one.'),
})
