import type { ServiceAccountRow } from './tables.ts'
import type { ServiceAccountCredentialRow } from './tables.ts'
import type { KeyKind, StoredKey } from './held-keys.ts'

type StoredApiKey = StoredKey &
  Pick<ServiceAccountRow, 'tenantId' | 'name' | 'description' | 'accessMode'> &
  Pick<ServiceAccountCredentialRow, 'madeWith'>

/** Credentials of service accounts. */
export const apiKeys: KeyKind<StoredApiKey> = {
  sql: `SELECT c.id AS key, c.serviceAccountId AS holderId, c.secretHash, c.expiresAt, c.lastUsedAt, a.isEnabled, '' AS stamp,
      c.madeWith, a.tenantId, a.name, a.description, a.accessMode
    FROM service_account_credentials AS c JOIN service_accounts AS a ON a.id = c.serviceAccountId
    WHERE c.revokedAt IS NULL`,
  tables: { keys: 'service_account_credentials', holders: 'service_accounts' },
  lastUsedSql: `UPDATE service_account_credentials SET lastUsedAt = u.value ->> 'lastUsedAt' FROM jsonb_each(?) AS u
    WHERE service_account_credentials.id = u.value ->> 'id' RETURNING service_account_credentials.id AS key`,
  principalOf: ({ key, holderId, tenantId, name, description, accessMode, madeWith }) => ({
    kind: 'ServiceAccount',
    id: holderId,
    tenantId,
    name: description ?? name,
    isUnrestricted: tenantId === null && accessMode === 'Unrestricted' && madeWith === null,
    credential: { kind: 'ServiceAccountCredential', id: key },
    madeWith,
  }),
}
