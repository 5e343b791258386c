import { z } from 'zod'
import { id } from '../contract/fields.ts'

export const settingName = z.string().trim().min(1).max(256)

/** One setting by its name, as text. */
export const NamedSettingRequestDto = z
  .object({
    name: settingName,
    value: z.string().max(2048).nullable().meta({ description: 'A blank value removes the setting.' }),
  })
  .meta({ id: 'NamedSettingRequestDto' })
export type NamedSettingRequestDto = z.output<typeof NamedSettingRequestDto>

export const NamedSettingResponseDto = z
  .object({ id: id.nullable(), name: z.string(), value: z.string().nullable() })
  .meta({ id: 'NamedSettingResponseDto', description: 'Without id and value the setting is not set.' })
export type NamedSettingResponseDto = z.output<typeof NamedSettingResponseDto>
