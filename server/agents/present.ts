import type {
  CreateInstallerKeyResponseDto,
  InstallerKeyResponseDto,
  InstallerKeyUsageResponseDto,
} from '../../shared/dtos/installer-key.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { InstallerKeyRow, InstallerKeyUsageRow } from './tables.ts'

/** A key without its secret. */
export const presentInstallerKey = (row: InstallerKeyRow): Omit<CreateInstallerKeyResponseDto, 'keySecret'> => ({
  id: row.id,
  creatorId: row.creatorId,
  keyType: row.keyType,
  createdAt: instant(row.createdAt),
  allowedUses: row.allowedUses,
  expiration: instantOrNull(row.expiration),
  friendlyName: row.friendlyName,
})

export const presentListedKey = (
  row: InstallerKeyRow & Pick<InstallerKeyResponseDto, 'creatorName' | 'usageCount'>,
): InstallerKeyResponseDto => ({
  ...presentInstallerKey(row),
  creatorName: row.creatorName,
  usageCount: row.usageCount,
})

export const presentInstallerKeyUsage = (row: InstallerKeyUsageRow): InstallerKeyUsageResponseDto => ({
  id: row.id,
  deviceId: row.deviceId,
  timestamp: instant(row.timestamp),
  remoteIpAddress: row.remoteIpAddress,
})
