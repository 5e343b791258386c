import { z } from 'zod'

export const storageKey = z
  .string()
  .min(1)
  .max(256)
  .regex(/^[a-zA-Z0-9-]+$/, 'may hold letters, digits and "-"')

/** Anything that a client wants to keep for its user. */
export const UserStorageItemDto = z
  .object({ key: storageKey, value: z.string().max(2048) })
  .meta({ id: 'UserStorageItemDto' })
export type UserStorageItemDto = z.output<typeof UserStorageItemDto>
