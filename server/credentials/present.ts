import type { LogonTokenResponseDto } from '../../shared/dtos/logon-token.ts'
import type { PersonalAccessTokenResponseDto } from '../../shared/dtos/personal-access-token.ts'
import type {
  ServerServiceAccountResponseDto,
  ServiceAccountCredentialResponseDto,
  TenantServiceAccountResponseDto,
} from '../../shared/dtos/service-account.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { PersonalAccessTokenRow, ServiceAccountCredentialRow, ServiceAccountRow } from './tables.ts'

/** `origin` starts the link. All characters of a token are valid in a query. */
export const presentLogonToken = (
  origin: string,
  { token, deviceId, expiresAt }: { token: string; deviceId: string; expiresAt: number },
): LogonTokenResponseDto => ({
  deviceAccessUrl: `${origin}/device-access?deviceId=${deviceId}&logonToken=${token}`,
  expiresAt: instant(expiresAt),
  token,
})

export const presentPersonalAccessToken = (
  row: PersonalAccessTokenRow & { permissionCount: number },
): PersonalAccessTokenResponseDto => ({
  id: row.id,
  name: row.name,
  createdAt: instant(row.createdAt),
  lastUsed: instantOrNull(row.lastUsed),
  permissionMode: row.permissionMode,
  permissionCount: row.permissionCount,
})

type Account = ServiceAccountRow & { credentials: readonly ServiceAccountCredentialRow[] }

export const presentCredential = (row: ServiceAccountCredentialRow): ServiceAccountCredentialResponseDto => ({
  id: row.id,
  name: row.name,
  createdAt: instant(row.createdAt),
  expiresAt: instantOrNull(row.expiresAt),
  revokedAt: instantOrNull(row.revokedAt),
  lastUsedAt: instantOrNull(row.lastUsedAt),
})

export const presentTenantServiceAccount = (account: Account): TenantServiceAccountResponseDto => ({
  id: account.id,
  name: account.name,
  description: account.description,
  isEnabled: account.isEnabled,
  createdAt: instant(account.createdAt),
  credentials: account.credentials.map(presentCredential),
})

export const presentServerServiceAccount = (account: Account): ServerServiceAccountResponseDto => ({
  ...presentTenantServiceAccount(account),
  accessMode: account.accessMode,
})
