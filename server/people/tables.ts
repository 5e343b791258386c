import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import {
  boolean,
  caseless,
  defineTable,
  integer,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const User = defineTable('users', {
  id: key(),
  tenantId: references('tenants'),
  /** `Invited` users have not chosen a password yet; `External` users sign in with logon tokens only. */
  accountType: text<'Interactive' | 'Invited' | 'External'>('Interactive'),
  userName: caseless(),
  email: caseless(),
  isEmailConfirmed: boolean(false),
  /** Null for an account without a password. */
  passwordHash: textOrNull(),
  isPasswordChangeRequired: boolean(false),
  /** Changes with every change of credentials; credentials issued under another stamp are invalid. */
  securityStamp: text(),
  /** Sealed. */
  twoFactorSecret: textOrNull(),
  isTwoFactorEnabled: boolean(false),
  /** Step of the last accepted code: a code works once. */
  lastTwoFactorStep: integerOrNull(),
  createdAt: integer(),
  lastLogin: integerOrNull(),
  failedSignIns: integer(0),
  lockedUntil: integerOrNull(),
  /** A disabled user can sign in by no way; null while enabled. */
  disabledAt: integerOrNull(),
  /** Hash of the code of the accepted invite. */
  acceptedCodeHash: textOrNull(),
  /** Display name of an external user, as its newest logon token gave it. */
  guestName: textOrNull(),
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
  id: key(),
  userId: references('users'),
  name: text(),
  value: text(),
}).with({ mirror: { key: 'userId' }, uniqueIndexes: { user_preferences_once: '(userId, name)' } })

export const UserStorageItem = defineTable('user_storage', {
  id: key(),
  userId: references('users'),
  key: text(),
  value: text(),
}).with({ mirror: null, uniqueIndexes: { user_storage_once: '(userId, key)' } })

export const Invite = defineTable('invites', {
  id: key(),
  tenantId: references('tenants'),
  userId: references('users'),
  inviteeEmail: caseless(),
  activationCodeHash: text(),
  createdAt: integer(),
  /** Assignments and groups of the pending user that stay at acceptance; null for none. */
  startJson: textOrNull(),
  /** Account that made the invite, which works only while this account may make it; null for an invite from before. */
  makerKind: textOrNull<'User' | 'ServiceAccount'>(),
  makerId: textOrNull(),
  /** Restricted token that the account used, whose rights limit the invite; null without one. */
  madeWith: textOrNull(),
}).with({ mirror: null, unique: ['activationCodeHash'], indexes: { invites_by_tenant: '(tenantId)' } })
export type InviteRow = RowOf<typeof Invite>

/** An invitation of the last 24 hours, also of one that was withdrawn or accepted. */
export const InviteTime = defineTable('invite_times', {
  /** Id of the invitation. */
  id: key(),
  tenantId: references('tenants'),
  createdAt: integer(),
}).with({ mirror: null, indexes: { invite_times_by_tenant: '(tenantId, createdAt)' } })

export const UserNotice = defineTable('user_notices', {
  id: key(),
  userId: references('users'),
  kind: text<NoticeKind>(),
  /** Name of the acting user at that time. */
  byName: text(),
  /** Name of the token or group concerned, or the new address; null for none. */
  subject: textOrNull(),
  createdAt: integer(),
  /** Session or family of tokens in which the user made the change, and which is not notified; null for other changes. */
  madeIn: textOrNull(),
}).with({ mirror: null, indexes: { user_notices_by_user: '(userId, createdAt)' } })
/** A change of a user's account, until the user dismisses the notice. */
export type UserNoticeRow = RowOf<typeof UserNotice>
