import { z } from 'zod'
import { createdAt, dto, ownId, textOrNull } from '../contract/fields.ts'

/** A company or department whose devices a tenant manages; a device belongs to at most one customer. */
export const CustomerResponseDto = dto('CustomerResponseDto', {
  id: ownId,
  name: z.string().describe('Unique in the tenant, without regard to case.'),
  description: textOrNull.describe('Free text of at most 500 characters; null when none was given.'),
  notes: textOrNull.describe('Internal remarks of at most 500 characters; null when none were given.'),
  createdAt,
  deviceCount: z
    .number()
    .int()
    .describe('Number of devices assigned to the customer, those among them that the caller cannot read included.'),
})
export type CustomerResponseDto = z.output<typeof CustomerResponseDto>
