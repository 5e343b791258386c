import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'

/** A company or department whose devices a tenant manages; a device belongs to one at most. */
export const CustomerResponseDto = z
  .object({
    id,
    name: z.string(),
    description: z.string().nullable(),
    notes: z.string().nullable(),
    createdAt: dateTime,
    deviceCount: z.number().int(),
  })
  .meta({ id: 'CustomerResponseDto' })
export type CustomerResponseDto = z.output<typeof CustomerResponseDto>
