import { z } from 'zod'
import { dateTime, id, nameEnum } from '../contract/fields.ts'

export const InstallerKeyType = nameEnum('InstallerKeyType', { Unknown: 0, UsageBased: 1, TimeBased: 2, Persistent: 3 })
export type InstallerKeyType = z.output<typeof InstallerKeyType>

const InstallerKey = z.object({
  id,
  creatorId: id,
  keyType: InstallerKeyType,
  createdAt: dateTime,
  allowedUses: z.number().int().nullable(),
  expiration: dateTime.nullable(),
  friendlyName: z.string().nullable(),
})

/** A key in the list; expired and used-up ones are hidden there. */
export const InstallerKeyResponseDto = InstallerKey.extend({
  creatorName: z.string().nullable(),
  usageCount: z.number().int(),
}).meta({ id: 'InstallerKeyResponseDto' })
export type InstallerKeyResponseDto = z.output<typeof InstallerKeyResponseDto>

/** A new key with its secret, which is shown only here. */
export const CreateInstallerKeyResponseDto = InstallerKey.extend({ keySecret: z.string() }).meta({
  id: 'CreateInstallerKeyResponseDto',
})
export type CreateInstallerKeyResponseDto = z.output<typeof CreateInstallerKeyResponseDto>

export const InstallerKeyUsageResponseDto = z
  .object({ id, deviceId: id, timestamp: dateTime, remoteIpAddress: z.string() })
  .meta({ id: 'InstallerKeyUsageResponseDto' })
export type InstallerKeyUsageResponseDto = z.output<typeof InstallerKeyUsageResponseDto>
