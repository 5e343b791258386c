import type { App } from '../context.ts'
import type { PersonalAccessTokenRow } from '../models/personal-access-token.ts'
import type { UserRow } from '../models/user.ts'
import type { Scheme, SchemeOptions } from './authenticate.ts'
import { FailureThrottle } from './failure-throttle.ts'
import type { HeldKeys, KeyKind, StoredKey } from '../memory/held-keys.ts'
import { readKey } from './key-format.ts'

export const personalTokenHeader = 'x-personal-token'

/** Failures of one remote address. */
const failureLimit = { limit: 5, windowMs: 5 * 60_000 }

type StoredToken = StoredKey & Pick<UserRow, 'tenantId' | 'userName'> & Pick<PersonalAccessTokenRow, 'permissionMode'>
export type PersonalAccessTokens = HeldKeys<StoredToken>

/** Tokens of people: a user with another credential. */
export const personalAccessTokens: KeyKind<StoredToken> = {
  selectSql: `SELECT t.id, t.userId AS holderId, t.secretHash, NULL AS expiresAt, t.lastUsed AS lastUsedAt,
      t.permissionMode, u.tenantId, u.userName
    FROM personal_access_tokens AS t JOIN users AS u ON u.id = t.userId`,
  lastUsedSql: `UPDATE personal_access_tokens SET lastUsed = u.value ->> 'lastUsedAt' FROM jsonb_each(?) AS u
    WHERE personal_access_tokens.id = u.value ->> 'id' RETURNING personal_access_tokens.id AS key`,
  principalOf: ({ id, holderId, tenantId, userName, permissionMode }) => ({
    kind: 'User',
    id: holderId,
    tenantId,
    name: userName,
    isUnrestricted: false,
    credential: { kind: 'PersonalAccessToken', id, mode: permissionMode },
  }),
}

/** The `x-personal-token` header: a token that acts as its owner. */
export function createPersonalTokenScheme(app: App, { remoteAddressOf }: SchemeOptions): Scheme {
  const throttle = new FailureThrottle(app, { subject: personalTokenHeader, ...failureLimit })
  return {
    handles: ({ headers }) => headers[personalTokenHeader] !== undefined,
    authenticate(request) {
      const token = readKey(String(request.headers[personalTokenHeader]))
      return throttle.attempt([remoteAddressOf(request)], () => token && app.personalAccessTokens.open(token))
    },
  }
}
