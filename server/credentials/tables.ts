import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const Session = defineTable('sessions', {
  tokenHash: t.key(),
  userId: t.references('users'),
  isPersistent: t.boolean(),
  createdAt: t.integer(),
  expiresAt: t.integer(),
  /** Time of the user's last proof of identity. */
  provedAt: t.integer(0),
  /** The logon token that created this session, whose grants are its only rights. */
  logonTokenId: t.references('logon_tokens', t.textOrNull()),
  /** Hash of the key of the session's page; null for a session that needs only its cookie. */
  pageKeyHash: t.textOrNull(),
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: t.integer(0),
  /** Address of the last use. */
  remoteAddress: t.textOrNull(),
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: t.textOrNull(),
}).with({
  mirror: { key: 'tokenHash', except: ['lastSeenAt', 'remoteAddress'] },
  indexes: { sessions_by_user: '(userId)' },
})
/** A cookie session; the cookie holds the token, this row only its hash. */
export type SessionRow = RowOf<typeof Session>

export const TokenFamily = defineTable('token_families', {
  id: t.key(),
  userId: t.references('users'),
  /** Generation of the only valid refresh token. */
  generation: t.integer(),
  createdAt: t.integer(),
  expiresAt: t.integer(),
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: t.integer(0),
  /** Address of the last use. */
  remoteAddress: t.textOrNull(),
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: t.textOrNull(),
}).with({
  mirror: { key: 'id', except: ['generation', 'expiresAt', 'lastSeenAt', 'remoteAddress'] },
  indexes: { token_families_by_user: '(userId)' },
})
/** A sign-in for bearer tokens, with all tokens derived from it. */
export type TokenFamilyRow = RowOf<typeof TokenFamily>

export const LogonToken = defineTable('logon_tokens', {
  id: t.key(),
  tenantId: t.references('tenants'),
  userId: t.references('users'),
  deviceId: t.references('devices'),
  secretHash: t.text(),
  sessionCorrelationId: t.textOrNull(),
  /** JSON array of system session ids; null allows every session. */
  allowedDesktopSessionIds: t.textOrNull(),
  createdAt: t.integer(),
  expiresAt: t.integer(),
  consumedAt: t.integerOrNull(),
  /** Account that made the link, which works only while this account may make it. */
  // The defaults are left from a migration, which added the columns to existing rows.
  makerKind: { ...t.text<'User' | 'ServiceAccount'>(), defaultValue: '' },
  makerId: t.text(''),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: t.references('personal_access_tokens', t.textOrNull()),
}).with({
  mirror: null,
  indexes: {
    logon_tokens_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
    logon_tokens_by_device: '(deviceId)',
    logon_tokens_by_user: '(userId)',
  },
})
export type LogonTokenRow = RowOf<typeof LogonToken>

export const PersonalAccessToken = defineTable('personal_access_tokens', {
  id: t.key(),
  userId: t.references('users'),
  name: t.text(),
  secretHash: t.text(),
  permissionMode: t.text<'Restricted' | 'InheritOwner'>(),
  createdAt: t.integer(),
  lastUsed: t.integerOrNull(),
  /** Null for a token without an end. */
  expiresAt: t.integerOrNull(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: t.references('personal_access_tokens', t.textOrNull()),
}).with({
  mirror: { key: 'id', followedByCaller: ['lastUsed'] },
  indexes: {
    personal_access_tokens_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
    personal_access_tokens_by_user: '(userId)',
  },
})
export type PersonalAccessTokenRow = RowOf<typeof PersonalAccessToken>

export const ServiceAccount = defineTable('service_accounts', {
  id: t.key(),
  /** Null for a server service account. */
  tenantId: t.references('tenants', t.textOrNull()),
  name: t.text(),
  description: t.textOrNull(),
  isEnabled: t.boolean(true),
  accessMode: t.text<'Unrestricted' | 'Restricted'>(),
  createdAt: t.integer(),
}).with({ mirror: { key: 'id' }, uniqueIndexes: { service_accounts_once: "(ifnull(tenantId, ''), name)" } })
export type ServiceAccountRow = RowOf<typeof ServiceAccount>

export const ServiceAccountCredential = defineTable('service_account_credentials', {
  id: t.key(),
  serviceAccountId: t.references('service_accounts'),
  name: t.text(),
  secretHash: t.text(),
  createdAt: t.integer(),
  expiresAt: t.integerOrNull(),
  revokedAt: t.integerOrNull(),
  lastUsedAt: t.integerOrNull(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: t.references('personal_access_tokens', t.textOrNull()),
}).with({
  mirror: { key: 'id', followedByCaller: ['lastUsedAt'] },
  indexes: {
    service_account_credentials_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
    service_account_credentials_by_account: '(serviceAccountId)',
  },
})
export type ServiceAccountCredentialRow = RowOf<typeof ServiceAccountCredential>

/** Tickets that were used, until they would have expired. */
export const UsedTicket = defineTable('used_tickets', {
  id: t.key(),
  /** User of a ticket of the page; null for a ceremony. */
  userId: t.textOrNull(),
  /** Digest of the address that a ticket of the page was used for. */
  target: t.textOrNull(),
  usedAt: t.integer(),
  expiresAt: t.integer(),
}).with({
  mirror: null,
  indexes: { used_tickets_by_user: '(userId, usedAt)', used_tickets_by_end: '(expiresAt)' },
})
export type UsedTicketRow = RowOf<typeof UsedTicket>
