import {
  boolean,
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../database/table.ts'

export const Session = defineTable('sessions', {
  tokenHash: key(),
  userId: references('users'),
  isPersistent: boolean(),
  createdAt: integer(),
  expiresAt: integer(),
  /** Time of the user's last proof of identity. */
  provedAt: integer(0),
  /** The logon token that created this session, whose grants are its only rights. */
  logonTokenId: references('logon_tokens', textOrNull()),
  /** Hash of the key of the session's page; null for a session that needs only its cookie. */
  pageKeyHash: textOrNull(),
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: integer(0),
  /** Address of the last use. */
  remoteAddress: textOrNull(),
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: textOrNull(),
}).with({ mirror: { key: 'tokenHash', except: ['expiresAt'] }, indexes: { sessions_by_user: '(userId)' } })
/** A cookie session; the cookie holds the token, this row only its hash. */
export type SessionRow = RowOf<typeof Session>

export const TokenFamily = defineTable('token_families', {
  id: key(),
  userId: references('users'),
  /** Generation of the only valid refresh token. */
  generation: integer(),
  createdAt: integer(),
  expiresAt: integer(),
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: integer(0),
  /** Address of the last use. */
  remoteAddress: textOrNull(),
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: textOrNull(),
}).with({ mirror: { key: 'id', except: ['generation', 'expiresAt'] }, indexes: { token_families_by_user: '(userId)' } })
/** A sign-in for bearer tokens, with all tokens derived from it. */
export type TokenFamilyRow = RowOf<typeof TokenFamily>

export const Passkey = defineTable('passkeys', {
  id: key(),
  userId: references('users'),
  /** Id chosen by the authenticator, in base64url. */
  credentialId: text(),
  /** COSE key in base64url. */
  publicKey: text(),
  /** Signature counter of the last use; 0 for authenticators without one. */
  counter: integer(),
  /** JSON array of the ways to reach the authenticator. */
  transports: text(),
  /** Host name that the passkey works for. */
  rpId: text(),
  name: text(),
  createdAt: integer(),
  lastUsedAt: integerOrNull(),
}).with({
  mirror: { key: 'userId', except: ['counter', 'lastUsedAt', 'name'] },
  unique: ['credentialId'],
  indexes: { passkeys_by_user: '(userId)' },
})
export type PasskeyRow = RowOf<typeof Passkey>

export const RecoveryCode = defineTable('recovery_codes', {
  id: key(),
  userId: references('users'),
  codeHash: text(),
}).with({ mirror: null, indexes: { recovery_codes_by_user: '(userId)' } })
