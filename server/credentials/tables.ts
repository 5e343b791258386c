import { boolean, defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from '../database/table.ts'

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

export const defineServiceAccount = defineTable('service_accounts', {
  id: key(),
  /** Null for a server service account. */
  tenantId: textOrNull(),
  name: text(),
  description: textOrNull(),
  isEnabled: boolean(true),
  accessMode: text<'Unrestricted' | 'Restricted'>(),
  createdAt: integer(),
})
export type ServiceAccountRow = RowOf<typeof defineServiceAccount>

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
