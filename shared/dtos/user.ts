import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

/** The signed-in user. */
export const CurrentUserDto = z
  .object({
    id,
    userName: z.string(),
    email: z.string(),
    createdAt: dateTime,
    isOnline: z.boolean(),
    requirePasswordChange: z.boolean(),
    twoFactorEnabled: z.boolean(),
    emailConfirmed: z.boolean(),
    tenantId: id,
  })
  .meta({ id: 'CurrentUserDto' })
export type CurrentUserDto = z.output<typeof CurrentUserDto>

/** What a new password is refused for, by the codes of the stock identity endpoints. */
export const passwordRules = {
  PasswordTooShort: 'must have at least 8 characters',
  PasswordTooLong: 'must have at most 100 characters',
  PasswordRequiresDigit: 'must contain a digit',
  PasswordRequiresLower: 'must contain a lower-case letter',
  PasswordRequiresUpper: 'must contain an upper-case letter',
}

export const newPassword = z
  .string()
  .min(8, passwordRules.PasswordTooShort)
  .max(100, passwordRules.PasswordTooLong)
  .regex(/\p{Nd}/u, passwordRules.PasswordRequiresDigit)
  .regex(/\p{Ll}/u, passwordRules.PasswordRequiresLower)
  .regex(/\p{Lu}/u, passwordRules.PasswordRequiresUpper)

/** An existing password, which only the server can check. */
export const password = z.string().min(1).max(1000)

export const email = z.string().trim().toLowerCase().pipe(z.email().max(256))

/** The second factor of a sign-in; spaces and dashes do not count, and a recovery code wins over an app code. */
export const secondFactor = {
  twoFactorCode: z.string().max(100).nullish().meta({ description: 'Six digits of the authenticator app.' }),
  twoFactorRecoveryCode: z.string().max(100).nullish().meta({ description: 'Works once.' }),
}

/** A user as seen by those who administer the tenant. */
export const UserResponseDto = z
  .object({
    id,
    userName: z.string(),
    email: z.string(),
    createdAt: dateTime,
    permissions: z.array(z.string()).meta({
      description: 'Names that assignments to the user itself allow somewhere; those of its groups are not among them.',
    }),
    displayName: z.string().nullable().meta({ description: 'What the user wants to be called, if it said so.' }),
  })
  .meta({ id: 'UserResponseDto' })
export type UserResponseDto = z.output<typeof UserResponseDto>

export const setupCode = z.string().max(40).optional().meta({
  description:
    'For the first account of all, unless it is made on the machine of the server: the code that its start has shown.',
})

/** What the link that confirms an address carries. */
export const emailConfirmation = z.object({
  userId: z.string().max(100),
  code: z.string().max(4000),
  changedEmail: z
    .string()
    .max(256)
    .optional()
    .meta({ description: 'The address that takes the place of the old one.' }),
})
