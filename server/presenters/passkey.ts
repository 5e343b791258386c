import type { PasskeyDto } from '../../shared/dtos/passkey.ts'
import type { PasskeyRow } from '../models/passkey.ts'

export const presentPasskey = ({ id, name, rpId, createdAt, lastUsedAt }: PasskeyRow): PasskeyDto => ({
  id,
  name,
  host: rpId,
  createdAt: new Date(createdAt).toISOString(),
  lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
})
