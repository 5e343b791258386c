import type { UserRow } from '../people/tables.ts'
import { asUser } from '../ground/principal.ts'
import type { KeyKind, StoredKey } from './key-mirror.ts'
import type { PersonalAccessTokenRow, ServiceAccountCredentialRow, ServiceAccountRow } from './tables.ts'

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
  lastUsedSql: `UPDATE service_account_credentials SET
      lastUsedAt = max(coalesce(lastUsedAt, 0), CAST(u.value ->> 'lastUsedAt' AS BIGINT)) FROM jsonb_each(?) AS u
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

type StoredToken = StoredKey &
  Pick<UserRow, 'tenantId' | 'userName'> &
  Pick<PersonalAccessTokenRow, 'permissionMode' | 'madeWith'>

/** Tokens of users. */
export const personalAccessTokens: KeyKind<StoredToken> = {
  sql: `SELECT t.id AS key, t.userId AS holderId, t.secretHash, t.expiresAt, t.lastUsed AS lastUsedAt,
      u.disabledAt IS NULL AS isEnabled, u.securityStamp AS stamp, t.permissionMode, t.madeWith, u.tenantId, u.userName
    FROM personal_access_tokens AS t JOIN users AS u ON u.id = t.userId`,
  tables: { keys: 'personal_access_tokens', holders: 'users' },
  lastUsedSql: `UPDATE personal_access_tokens SET
      lastUsed = max(coalesce(lastUsed, 0), CAST(u.value ->> 'lastUsedAt' AS BIGINT)) FROM jsonb_each(?) AS u
    WHERE personal_access_tokens.id = u.value ->> 'id' RETURNING personal_access_tokens.id AS key`,
  principalOf: ({ key, holderId, tenantId, userName, permissionMode, madeWith }) => ({
    ...asUser({ id: holderId, tenantId, userName }),
    credential: { kind: 'PersonalAccessToken', id: key, mode: permissionMode },
    madeWith,
  }),
}
