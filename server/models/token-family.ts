import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

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
