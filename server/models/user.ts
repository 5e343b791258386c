import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserRow {
  id: string
  tenantId: string
  /** `Invited` users have not chosen a password yet; `External` users sign in with logon tokens only. */
  accountType: 'Interactive' | 'Invited' | 'External'
  userName: string
  email: string
  isEmailConfirmed: boolean
  /** Null for an account without a password. */
  passwordHash: string | null
  isPasswordChangeRequired: boolean
  /** Changes with every change of credentials; credentials issued under another stamp are invalid. */
  securityStamp: string
  /** Sealed. */
  twoFactorSecret: string | null
  isTwoFactorEnabled: boolean
  /** Step of the last accepted code: a code works once. */
  lastTwoFactorStep: number | null
  createdAt: number
  lastLogin: number | null
  failedSignIns: number
  lockedUntil: number | null
  /** A disabled user can sign in by no way; null while enabled. */
  disabledAt: number | null
  /** Hash of the code of the accepted invite. */
  acceptedCodeHash: string | null
  /** Display name of an external user, as its newest logon token gave it. */
  guestName: string | null
}

export const defineUser = (sequelize: Sequelize) =>
  defineTable<UserRow>(sequelize, 'users', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    accountType: { type: DataTypes.TEXT, allowNull: false, defaultValue: 'Interactive' },
    userName: { type: DataTypes.TEXT, allowNull: false },
    email: { type: DataTypes.TEXT, allowNull: false },
    isEmailConfirmed: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    passwordHash: DataTypes.TEXT,
    isPasswordChangeRequired: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    securityStamp: { type: DataTypes.TEXT, allowNull: false },
    twoFactorSecret: DataTypes.TEXT,
    isTwoFactorEnabled: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    lastTwoFactorStep: DataTypes.INTEGER,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    lastLogin: DataTypes.INTEGER,
    failedSignIns: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    lockedUntil: DataTypes.INTEGER,
    disabledAt: DataTypes.INTEGER,
    acceptedCodeHash: DataTypes.TEXT,
    guestName: DataTypes.TEXT,
  })
