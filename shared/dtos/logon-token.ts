import { z } from 'zod'
import { permissions, type DevicePermission } from '../access.ts'
import { dateTime, id } from '../contract/fields.ts'

const devicePermissions = [...permissions]
  .filter(([, scopeKinds]) => scopeKinds.includes('Device'))
  .map(([name]) => name as DevicePermission)

/** What both kinds of logon token may be asked to be. */
export const LogonTokenOptions = z.object({
  expirationMinutes: z
    .number()
    .int()
    .min(1)
    .max(1440)
    .nullish()
    .transform((minutes) => minutes ?? 15)
    .meta({ description: 'Lifetime of the token and of the session that it opens; 15 when left out.' }),
  sessionCorrelationId: z.string().max(128).nullish(),
  permissions: z
    .array(z.enum(devicePermissions))
    .min(1, 'must name at least one permission, or be left out')
    .max(100)
    .nullish()
    .meta({
      description:
        'Exactly these device permissions, each of which the caller must hold on the device. Left out: what is needed to ' +
        'look at the device.',
    }),
  allowedDesktopSessionIds: z
    .array(z.int32())
    .min(1, 'must name at least one session, or be left out')
    .max(32)
    .nullish()
    .meta({ description: 'System ids of the desktop sessions that may be reached; left out: all of them.' }),
})
export type LogonTokenOptions = z.output<typeof LogonTokenOptions>

export const LogonTokenResponseDto = z
  .object({
    deviceAccessUrl: z.string().meta({ description: 'Opens the device in a browser, once.' }),
    expiresAt: dateTime,
    token: z.string(),
  })
  .meta({ id: 'LogonTokenResponseDto' })
export type LogonTokenResponseDto = z.output<typeof LogonTokenResponseDto>

export const logonTokenTarget = { tenantId: id, deviceId: id }
