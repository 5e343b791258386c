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

/** At least 8 characters with a digit, a lower-case and an upper-case letter (`rest.md` section 2.2). */
export const newPassword = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(100, 'must have at most 100 characters')
  .regex(/\p{Nd}/u, 'must contain a digit')
  .regex(/\p{Ll}/u, 'must contain a lower-case letter')
  .regex(/\p{Lu}/u, 'must contain an upper-case letter')
