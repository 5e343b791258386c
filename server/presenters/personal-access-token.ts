import type { PersonalAccessTokenResponseDto } from '../../shared/dtos/personal-access-token.ts'
import type { PersonalAccessTokenRow } from '../models/personal-access-token.ts'

export const presentPersonalAccessToken = (
  row: PersonalAccessTokenRow & { permissionCount: number },
): PersonalAccessTokenResponseDto => ({
  id: row.id,
  name: row.name,
  createdAt: new Date(row.createdAt).toISOString(),
  lastUsed: row.lastUsed === null ? null : new Date(row.lastUsed).toISOString(),
  permissionMode: row.permissionMode,
  permissionCount: row.permissionCount,
})
