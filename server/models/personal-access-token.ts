import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const definePersonalAccessToken = defineTable('personal_access_tokens', {
  id: key(),
  userId: text(),
  name: text(),
  secretHash: text(),
  permissionMode: text<'Restricted' | 'InheritOwner'>(),
  createdAt: integer(),
  lastUsed: integerOrNull(),
  /** Null for a token without an end. */
  expiresAt: integerOrNull(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type PersonalAccessTokenRow = RowOf<typeof definePersonalAccessToken>
