import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const User = defineTable('users', {
  id: t.key(),
  tenantId: t.references('tenants'),
  /** `Invited` users have not chosen a password yet; `External` users sign in with logon tokens only. */
  accountType: t.text<'Interactive' | 'Invited' | 'External'>('Interactive'),
  userName: t.caseless(),
  email: t.caseless(),
  isEmailConfirmed: t.boolean(false),
  /** Null for an account without a password. */
  passwordHash: t.textOrNull(),
  isPasswordChangeRequired: t.boolean(false),
  /** Changes with every change of credentials; credentials issued under another stamp are invalid. */
  securityStamp: t.text(),
  /** Sealed. */
  twoFactorSecret: t.textOrNull(),
  isTwoFactorEnabled: t.boolean(false),
  /** Step of the last accepted code: a code works once. */
  lastTwoFactorStep: t.integerOrNull(),
  createdAt: t.integer(),
  lastLogin: t.integerOrNull(),
  failedSignIns: t.integer(0),
  lockedUntil: t.integerOrNull(),
  /** A disabled user can sign in by no way; null while enabled. */
  disabledAt: t.integerOrNull(),
  /** Hash of the code of the accepted invite. */
  acceptedCodeHash: t.textOrNull(),
  /** Display name of an external user, as its newest logon token gave it. */
  guestName: t.textOrNull(),
  /** True from a registration that is open to all until a mailed code shows whose the address is. */
  isUnproven: t.boolean(false),
  /** Account whose link made an external user; null for others. */
  makerId: t.textOrNull(),
}).with({
  mirror: { key: 'id', except: ['lastLogin', 'failedSignIns', 'lockedUntil', 'lastTwoFactorStep'] },
  indexes: { users_by_email: '(email)', users_by_tenant: '(tenantId)' },
  uniqueIndexes: {
    invited_users_once: "(tenantId, userName) WHERE accountType = 'Invited'",
    users_once: "(userName) WHERE accountType = 'Interactive'",
    external_users_once: "(tenantId, userName) WHERE accountType = 'External'",
  },
  statements: [
    {
      sqlite: [
        `CREATE TRIGGER users_remembered AFTER INSERT ON users BEGIN
      UPDATE server_state SET hasHadUsers = 1 WHERE hasHadUsers = 0;
    END`,
      ],
      postgres: [
        `CREATE FUNCTION users_remembered() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
           UPDATE server_state SET hasHadUsers = TRUE WHERE NOT hasHadUsers;
           RETURN NULL;
         END $$`,
        'CREATE TRIGGER users_remembered AFTER INSERT ON users FOR EACH STATEMENT EXECUTE FUNCTION users_remembered()',
      ],
    },
  ],
})
export type UserRow = RowOf<typeof User>

export const UserPreference = defineTable('user_preferences', {
  id: t.key(),
  userId: t.references('users'),
  name: t.text(),
  value: t.text(),
}).with({ mirror: { key: 'userId' }, uniqueIndexes: { user_preferences_once: '(userId, name)' } })

export const UserStorageItem = defineTable('user_storage', {
  id: t.key(),
  userId: t.references('users'),
  key: t.text(),
  value: t.text(),
}).with({ mirror: null, uniqueIndexes: { user_storage_once: '(userId, key)' } })

export const Invite = defineTable('invites', {
  id: t.key(),
  tenantId: t.references('tenants'),
  userId: t.references('users'),
  inviteeEmail: t.caseless(),
  activationCodeHash: t.text(),
  createdAt: t.integer(),
  /** Assignments and groups of the pending user that stay at acceptance; null for none. */
  startJson: t.textOrNull(),
  /** Account that made the invite, which works only while this account may make it; null for an invite from before. */
  makerKind: t.textOrNull<'User' | 'ServiceAccount'>(),
  makerId: t.textOrNull(),
  /** Restricted token that the account used, whose rights limit the invite; null without one. */
  madeWith: t.textOrNull(),
}).with({ mirror: null, unique: ['activationCodeHash'], indexes: { invites_by_tenant: '(tenantId)' } })
export type InviteRow = RowOf<typeof Invite>

/** An invitation of the last 24 hours, also of one that was withdrawn or accepted. */
export const InviteTime = defineTable('invite_times', {
  /** Id of the invitation. */
  id: t.key(),
  tenantId: t.references('tenants'),
  createdAt: t.integer(),
}).with({ mirror: null, indexes: { invite_times_by_tenant: '(tenantId, createdAt)' } })

export const UserNotice = defineTable('user_notices', {
  id: t.key(),
  userId: t.references('users'),
  kind: t.text<NoticeKind>(),
  /** Name of the acting user at that time. */
  byName: t.text(),
  /** Name of the token or group concerned, or the new address; null for none. */
  subject: t.textOrNull(),
  createdAt: t.integer(),
  /** Session or family of tokens in which the user made the change, and which is not notified; null for other changes. */
  madeIn: t.textOrNull(),
}).with({ mirror: null, indexes: { user_notices_by_user: '(userId, createdAt)' } })
/** A change of a user's account, until the user dismisses the notice. */
export type UserNoticeRow = RowOf<typeof UserNotice>
