import type { NoticeKind } from '../../shared/api/appliance-notices.ts'
import { boolean, defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from '../database/table.ts'

export const defineUser = defineTable('users', {
  id: key(),
  tenantId: text(),
  /** `Invited` users have not chosen a password yet; `External` users sign in with logon tokens only. */
  accountType: text<'Interactive' | 'Invited' | 'External'>('Interactive'),
  userName: text(),
  email: text(),
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
})
export type UserRow = RowOf<typeof defineUser>

export const defineUserPreference = defineTable('user_preferences', {
  id: key(),
  userId: text(),
  name: text(),
  value: text(),
})

export const defineUserStorageItem = defineTable('user_storage', {
  id: key(),
  userId: text(),
  key: text(),
  value: text(),
})

export const defineInvite = defineTable('invites', {
  id: key(),
  tenantId: text(),
  userId: text(),
  inviteeEmail: text(),
  activationCodeHash: text(),
  createdAt: integer(),
  /** Assignments and groups of the pending user that stay at acceptance; null for none. */
  startJson: textOrNull(),
  /** Account that made the invite, which works only while this account may make it; null for an invite from before. */
  makerKind: textOrNull<'User' | 'ServiceAccount'>(),
  makerId: textOrNull(),
  /** Restricted token that the account used, whose rights limit the invite; null without one. */
  madeWith: textOrNull(),
})
export type InviteRow = RowOf<typeof defineInvite>

/** An invitation of the last 24 hours, also of one that was withdrawn or accepted. */
export const defineInviteTime = defineTable('invite_times', {
  /** Id of the invitation. */
  id: key(),
  tenantId: text(),
  createdAt: integer(),
})

export const defineUserNotice = defineTable('user_notices', {
  id: key(),
  userId: text(),
  kind: text<NoticeKind>(),
  /** Name of the acting user at that time. */
  byName: text(),
  /** Name of the token or group concerned, or the new address; null for none. */
  subject: textOrNull(),
  createdAt: integer(),
  /** Session or family of tokens in which the user made the change, and which is not notified; null for other changes. */
  madeIn: textOrNull(),
})
/** A change of a user's account, until the user dismisses the notice. */
export type UserNoticeRow = RowOf<typeof defineUserNotice>
