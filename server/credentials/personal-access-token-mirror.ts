import type { PersonalAccessTokenRow } from './tables.ts'
import type { UserRow } from '../people/tables.ts'
import { asUser } from '../ground/principal.ts'
import type { KeyKind, StoredKey } from './held-keys.ts'

type StoredToken = StoredKey &
  Pick<UserRow, 'tenantId' | 'userName'> &
  Pick<PersonalAccessTokenRow, 'permissionMode' | 'madeWith'>

/** Tokens of users. */
export const personalAccessTokens: KeyKind<StoredToken> = {
  sql: `SELECT t.id AS key, t.userId AS holderId, t.secretHash, t.expiresAt, t.lastUsed AS lastUsedAt,
      u.disabledAt IS NULL AS isEnabled, u.securityStamp AS stamp, t.permissionMode, t.madeWith, u.tenantId, u.userName
    FROM personal_access_tokens AS t JOIN users AS u ON u.id = t.userId`,
  tables: { keys: 'personal_access_tokens', holders: 'users' },
  lastUsedSql: `UPDATE personal_access_tokens SET lastUsed = u.value ->> 'lastUsedAt' FROM jsonb_each(?) AS u
    WHERE personal_access_tokens.id = u.value ->> 'id' RETURNING personal_access_tokens.id AS key`,
  principalOf: ({ key, holderId, tenantId, userName, permissionMode, madeWith }) => ({
    ...asUser({ id: holderId, tenantId, userName }),
    credential: { kind: 'PersonalAccessToken', id: key, mode: permissionMode },
    madeWith,
  }),
}
