import { boolean, defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

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
