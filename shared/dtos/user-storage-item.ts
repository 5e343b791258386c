import { z } from 'zod'
import { dto } from '../contract/fields.ts'

export const storageKey = z
  .string()
  .min(1)
  .max(256, { abort: true })
  .regex(/^[a-zA-Z0-9-]+$/, 'may hold letters, digits and "-"')

/** Arbitrary data that a client stores for its user. */
export const UserStorageItemDto = dto('UserStorageItemDto', {
  key: storageKey.describe(
    'Chosen by the client: 1 to 256 letters, digits and hyphens. Each user has keys of its own.',
  ),
  value: z.string().max(2048).describe('Text of at most 2,048 characters; not interpreted by the server.'),
})
export type UserStorageItemDto = z.output<typeof UserStorageItemDto>
