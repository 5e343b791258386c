import { z } from 'zod'
import { dto, id, nameEnum, ownId } from '../contract/fields.ts'

export const TagType = nameEnum('TagType', { Unknown: 0, Permission: 1 })

/** A label on devices; grants no rights. */
export const TagResponseDto = dto('TagResponseDto', {
  id: ownId,
  name: z.string().describe('1 to 50 lower-case letters a to z, digits and hyphens; unique in the tenant.'),
  type: TagType.describe('Stored as given; gives no rights.'),
  deviceIds: z.array(id).describe('Devices with this tag that the caller may read; lists hold them on request only.'),
})
export type TagResponseDto = z.output<typeof TagResponseDto>
