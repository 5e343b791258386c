import { instant, instantOrNull } from '../ground/instant.ts'
import type { ExternalLoginDto, ProviderPlace } from '../../shared/dtos/identity-provider.ts'
import type { ExternalLoginRow } from './tables.ts'

export const presentLogin = ({ id, provider, name, createdAt, lastUsedAt }: ExternalLoginRow): ExternalLoginDto => ({
  id,
  place: provider as ProviderPlace,
  name,
  createdAt: instant(createdAt),
  lastUsedAt: instantOrNull(lastUsedAt),
})
