import { z } from 'zod'
import { type DevicePermission, permissions } from '../access.ts'
import { dateTime, dto } from '../contract/fields.ts'
import { deviceId, tenantId } from './references.ts'

const devicePermissions = [...permissions]
  .filter(([, scopeKinds]) => scopeKinds.includes('Device'))
  .map(([name]) => name as DevicePermission)

/** Options shared by both kinds of logon token. */
export const LogonTokenOptions = z.object({
  expirationMinutes: z
    .number()
    .int()
    .min(1)
    .max(1440)
    .nullish()
    .transform((minutes) => minutes ?? 15)
    .describe('Lifetime of the token and of the session that it opens; 15 when left out.'),
  sessionCorrelationId: z
    .string()
    .max(128)
    .nullish()
    .describe('Id of the session in the calling system, at most 128 characters; stored with the token.'),
  permissions: z
    .array(z.enum(devicePermissions))
    .min(1, 'must name at least one permission, or be left out')
    .max(100)
    .nullish()
    .describe(
      'Exactly these device permissions, each of which the caller must hold on the device. Left out: what is needed to ' +
        'look at the device.',
    ),
  allowedDesktopSessionIds: z
    .array(z.int32())
    .min(1, 'must name at least one session, or be left out')
    .max(32)
    .nullish()
    .describe('System ids of the desktop sessions that may be reached; left out: all of them.'),
})
export type LogonTokenOptions = z.output<typeof LogonTokenOptions>

export const LogonTokenResponseDto = dto('LogonTokenResponseDto', {
  deviceAccessUrl: z.string().describe('Opens the device in a browser, once.'),
  expiresAt: dateTime.describe('When the token, and the session that it opens, ends.'),
  token: z.string().describe('Secret part of `deviceAccessUrl`; works once. Shown in this answer only.'),
})
export type LogonTokenResponseDto = z.output<typeof LogonTokenResponseDto>

export const logonTokenTarget = {
  tenantId,
  deviceId: deviceId.describe('The one device that the token opens; must belong to the tenant.'),
}
