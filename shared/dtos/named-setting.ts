import { z } from 'zod'
import { dto, id, textOrNull } from '../contract/fields.ts'

export const settingName = z.string().trim().min(1).max(256)

/** A setting by name, as text. */
export const NamedSettingRequestDto = dto('NamedSettingRequestDto', {
  name: settingName.describe(
    '1 to 256 characters; blanks around it are removed. Names that the server does not know are stored as they are.',
  ),
  value: z.string().max(2048).nullable().describe('A blank value removes the setting.'),
})
export type NamedSettingRequestDto = z.output<typeof NamedSettingRequestDto>

export const NamedSettingResponseDto = dto(
  'NamedSettingResponseDto',
  {
    id: id.nullable().describe('Set by the server when the setting is first stored; null while it is not set.'),
    name: z.string().describe('The name that was asked for.'),
    value: textOrNull.describe('Stored text of at most 2,048 characters; null while the setting is not set.'),
  },
  { description: 'Without id and value the setting is not set.' },
)
export type NamedSettingResponseDto = z.output<typeof NamedSettingResponseDto>
