import type {
  ServerServiceAccountResponseDto,
  ServiceAccountCredentialResponseDto,
  TenantServiceAccountResponseDto,
} from '../../shared/dtos/service-account.ts'
import { instant, instantOrNull } from '../instant.ts'
import type { ServiceAccountRow } from '../models/service-account.ts'
import type { ServiceAccountCredentialRow } from '../models/service-account-credential.ts'

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
