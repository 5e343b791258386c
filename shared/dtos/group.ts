import { z } from 'zod'
import { createdAt, ownId, textOrNull } from '../contract/fields.ts'

/** Fields of a device group and of a user group. */
export const groupFields = {
  id: ownId,
  name: z.string().describe('Unique in the tenant, without regard to case.'),
  description: textOrNull.describe('Free text of at most 500 characters; null when none was given.'),
  createdAt,
}
