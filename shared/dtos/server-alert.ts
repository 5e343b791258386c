import { z } from 'zod'
import { dto, id, numberEnum } from '../contract/fields.ts'

const ServerAlertSeverity = numberEnum('ServerAlertSeverity', { Information: 0, Warning: 1, Error: 2, Success: 3 })

/** The single message that an administrator shows to all users. */
export const ServerAlertRequestDto = dto('ServerAlertRequestDto', {
  message: z.string().max(500).describe('Plain text of at most 500 characters.'),
  severity: ServerAlertSeverity.default(0).describe('Color and icon of the message.'),
  isDismissable: z.boolean().default(false).describe('Each reader may close it.'),
  isSticky: z.boolean().default(false).describe('The alert reappears after it was closed.'),
  isEnabled: z.boolean().default(false).describe('It is shown.'),
})
export type ServerAlertRequestDto = z.output<typeof ServerAlertRequestDto>

export const ServerAlertResponseDto = dto('ServerAlertResponseDto', {
  id: id.describe('The same for every message: there is only one at a time.'),
  message: z.string().describe('Plain text of at most 500 characters; empty before the first message.'),
  severity: ServerAlertSeverity.describe('Color and icon of the message.'),
  isDismissable: z.boolean().describe('Whether each reader may close it.'),
  isSticky: z.boolean().describe('Whether the alert reappears after it was closed.'),
  isEnabled: z.boolean().describe('Whether it is shown; false before the first message.'),
})
export type ServerAlertResponseDto = z.output<typeof ServerAlertResponseDto>
