import { boolean, defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from '../database/table.ts'

export const defineSession = defineTable('sessions', {
  tokenHash: key(),
  userId: text(),
  isPersistent: boolean(),
  createdAt: integer(),
  expiresAt: integer(),
  /** Time of the user's last proof of identity. */
  provedAt: integer(),
  /** The logon token that created this session, whose grants are its only rights. */
  logonTokenId: textOrNull(),
  /** Hash of the key of the session's page; null for a session that needs only its cookie. */
  pageKeyHash: textOrNull(),
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: integer(),
  /** Address of the last use. */
  remoteAddress: textOrNull(),
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: textOrNull(),
})
/** A cookie session; the cookie holds the token, this row only its hash. */
export type SessionRow = RowOf<typeof defineSession>

export const defineTokenFamily = defineTable('token_families', {
  id: key(),
  userId: text(),
  /** Generation of the only valid refresh token. */
  generation: integer(),
  createdAt: integer(),
  expiresAt: integer(),
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: integer(),
  /** Address of the last use. */
  remoteAddress: textOrNull(),
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: textOrNull(),
})
/** A sign-in for bearer tokens, with all tokens derived from it. */
export type TokenFamilyRow = RowOf<typeof defineTokenFamily>

export const definePasskey = defineTable('passkeys', {
  id: key(),
  userId: text(),
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
})
export type PasskeyRow = RowOf<typeof definePasskey>

export const defineRecoveryCode = defineTable('recovery_codes', {
  id: key(),
  userId: text(),
  codeHash: text(),
})
