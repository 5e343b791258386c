import { boolean, defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

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
