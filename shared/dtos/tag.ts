import { z } from 'zod'
import { id, nameEnum } from '../contract/fields.ts'

export const TagType = nameEnum('TagType', { Unknown: 0, Permission: 1 })

/** A word that devices are marked with; it grants nothing. */
export const TagResponseDto = z
  .object({
    id,
    name: z.string(),
    type: TagType,
    deviceIds: z
      .array(id)
      .meta({ description: 'Devices with this tag that the caller may read; lists hold them on request only.' }),
  })
  .meta({ id: 'TagResponseDto' })
export type TagResponseDto = z.output<typeof TagResponseDto>
