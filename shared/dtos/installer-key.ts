import { z } from 'zod'
import { createdAt, dateTime, dto, id, nameEnum, ownId, textOrNull } from '../contract/fields.ts'
import { deviceId } from './references.ts'

export const InstallerKeyType = nameEnum('InstallerKeyType', { Unknown: 0, UsageBased: 1, TimeBased: 2, Persistent: 3 })
export type InstallerKeyType = z.output<typeof InstallerKeyType>

const InstallerKey = z.object({
  id: id.describe('Sent by agents as `InstallerKeyId`; set by the server.'),
  creatorId: id.describe('User or service account that made the key.'),
  keyType: InstallerKeyType.describe(
    '`UsageBased` ends after `allowedUses` registrations or 24 hours, `TimeBased` at `expiration`, `Persistent` never.',
  ),
  createdAt,
  allowedUses: z
    .number()
    .int()
    .nullable()
    .describe('Number of registrations that the key allows in all; null unless `UsageBased`.'),
  expiration: dateTime
    .nullable()
    .describe('When the key stops working. 24 hours after its creation for `UsageBased`; null for `Persistent`.'),
  friendlyName: textOrNull.describe('Label of 1 to 100 characters for people; null when none was given.'),
})

/** A key as listed; lists hide expired and used-up keys. */
export const InstallerKeyResponseDto = InstallerKey.extend({
  creatorName: textOrNull.describe(
    'Name of the user who made the key; null when a service account made it, or the user was deleted.',
  ),
  usageCount: z.number().int().describe('Number of registrations so far.'),
}).meta({ id: 'InstallerKeyResponseDto' })
export type InstallerKeyResponseDto = z.output<typeof InstallerKeyResponseDto>

/** A new key with its secret, which is returned only once. */
export const CreateInstallerKeyResponseDto = InstallerKey.extend({
  keySecret: z
    .string()
    .describe('Sent by agents as `InstallerKeySecret`. Shown in this answer only: the server stores a hash.'),
}).meta({
  id: 'CreateInstallerKeyResponseDto',
})
export type CreateInstallerKeyResponseDto = z.output<typeof CreateInstallerKeyResponseDto>

export const InstallerKeyUsageResponseDto = dto('InstallerKeyUsageResponseDto', {
  id: ownId,
  deviceId,
  timestamp: dateTime.describe('When the device registered with the key.'),
  remoteIpAddress: z.string().describe('IPv4 or IPv6 address that the registration came from.'),
})
export type InstallerKeyUsageResponseDto = z.output<typeof InstallerKeyUsageResponseDto>
