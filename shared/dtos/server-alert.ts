import { z } from 'zod'
import { id, numberEnum } from '../contract/fields.ts'

const ServerAlertSeverity = numberEnum('ServerAlertSeverity', { Information: 0, Warning: 1, Error: 2, Success: 3 })

/** The one message that an administrator shows to everybody. */
export const ServerAlertRequestDto = z
  .object({
    message: z.string().max(500),
    severity: ServerAlertSeverity.default(0),
    isDismissable: z.boolean().default(false).meta({ description: 'Each reader may close it.' }),
    isSticky: z.boolean().default(false).meta({ description: 'It comes back after it was closed.' }),
    isEnabled: z.boolean().default(false).meta({ description: 'It is shown.' }),
  })
  .meta({ id: 'ServerAlertRequestDto' })
export type ServerAlertRequestDto = z.output<typeof ServerAlertRequestDto>

export const ServerAlertResponseDto = z
  .object({
    id,
    message: z.string(),
    severity: ServerAlertSeverity,
    isDismissable: z.boolean(),
    isSticky: z.boolean(),
    isEnabled: z.boolean(),
  })
  .meta({ id: 'ServerAlertResponseDto' })
export type ServerAlertResponseDto = z.output<typeof ServerAlertResponseDto>
