import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const defineServiceAccountCredential = defineTable('service_account_credentials', {
  id: key(),
  serviceAccountId: text(),
  name: text(),
  secretHash: text(),
  createdAt: integer(),
  expiresAt: integerOrNull(),
  revokedAt: integerOrNull(),
  lastUsedAt: integerOrNull(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: textOrNull(),
})
export type ServiceAccountCredentialRow = RowOf<typeof defineServiceAccountCredential>
