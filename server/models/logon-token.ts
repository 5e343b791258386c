import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const defineLogonToken = defineTable('logon_tokens', {
  id: key(),
  tenantId: text(),
  userId: text(),
  deviceId: text(),
  secretHash: text(),
  sessionCorrelationId: textOrNull(),
  /** JSON array of system session ids; null allows every session. */
  allowedDesktopSessionIds: textOrNull(),
  createdAt: integer(),
  expiresAt: integer(),
  consumedAt: integerOrNull(),
  /** Account that made the link, which works only while this account may make it. */
  makerKind: text<'User' | 'ServiceAccount'>(),
  makerId: text(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type LogonTokenRow = RowOf<typeof defineLogonToken>
