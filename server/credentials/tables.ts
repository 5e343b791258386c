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
} from '../engines/database/table.ts'

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
}).with({
  mirror: { key: 'tokenHash', except: ['lastSeenAt', 'remoteAddress'] },
  indexes: { sessions_by_user: '(userId)' },
})
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
}).with({
  mirror: { key: 'id', except: ['generation', 'expiresAt', 'lastSeenAt', 'remoteAddress'] },
  indexes: { token_families_by_user: '(userId)' },
})
/** A sign-in for bearer tokens, with all tokens derived from it. */
export type TokenFamilyRow = RowOf<typeof TokenFamily>

export const LogonToken = defineTable('logon_tokens', {
  id: key(),
  tenantId: references('tenants'),
  userId: references('users'),
  deviceId: references('devices'),
  secretHash: text(),
  sessionCorrelationId: textOrNull(),
  /** JSON array of system session ids; null allows every session. */
  allowedDesktopSessionIds: textOrNull(),
  createdAt: integer(),
  expiresAt: integer(),
  consumedAt: integerOrNull(),
  /** Account that made the link, which works only while this account may make it. */
  // The defaults are left from a migration, which added the columns to existing rows.
  makerKind: { ...text<'User' | 'ServiceAccount'>(), defaultValue: '' },
  makerId: text(''),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: references('personal_access_tokens', textOrNull()),
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
  id: key(),
  userId: references('users'),
  name: text(),
  secretHash: text(),
  permissionMode: text<'Restricted' | 'InheritOwner'>(),
  createdAt: integer(),
  lastUsed: integerOrNull(),
  /** Null for a token without an end. */
  expiresAt: integerOrNull(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: references('personal_access_tokens', textOrNull()),
}).with({
  mirror: { key: 'id', followedByCaller: ['lastUsed'] },
  indexes: {
    personal_access_tokens_by_maker: '(madeWith) WHERE madeWith IS NOT NULL',
    personal_access_tokens_by_user: '(userId)',
  },
})
export type PersonalAccessTokenRow = RowOf<typeof PersonalAccessToken>

export const ServiceAccount = defineTable('service_accounts', {
  id: key(),
  /** Null for a server service account. */
  tenantId: references('tenants', textOrNull()),
  name: text(),
  description: textOrNull(),
  isEnabled: boolean(true),
  accessMode: text<'Unrestricted' | 'Restricted'>(),
  createdAt: integer(),
}).with({ mirror: { key: 'id' }, uniqueIndexes: { service_accounts_once: "(ifnull(tenantId, ''), name)" } })
export type ServiceAccountRow = RowOf<typeof ServiceAccount>

export const ServiceAccountCredential = defineTable('service_account_credentials', {
  id: key(),
  serviceAccountId: references('service_accounts'),
  name: text(),
  secretHash: text(),
  createdAt: integer(),
  expiresAt: integerOrNull(),
  revokedAt: integerOrNull(),
  lastUsedAt: integerOrNull(),
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: references('personal_access_tokens', textOrNull()),
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
  id: key(),
  /** User of a ticket of the page; null for a ceremony. */
  userId: textOrNull(),
  /** Digest of the address that a ticket of the page was used for. */
  target: textOrNull(),
  usedAt: integer(),
  expiresAt: integer(),
}).with({
  mirror: null,
  indexes: { used_tickets_by_user: '(userId, usedAt)', used_tickets_by_end: '(expiresAt)' },
})
export type UsedTicketRow = RowOf<typeof UsedTicket>
