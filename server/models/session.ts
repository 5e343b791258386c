import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A cookie session; the cookie holds the token, this row only its hash. */
export interface SessionRow {
  tokenHash: string
  userId: string
  isPersistent: boolean
  createdAt: number
  expiresAt: number
  /** Time of the user's last proof of identity. */
  provedAt: number
  /** The logon token that created this session, whose grants are its only rights. */
  logonTokenId: string | null
  /** Hash of the key of the session's page; null for a session that needs only its cookie. */
  pageKeyHash: string | null
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: number
  /** Address of the last use. */
  remoteAddress: string | null
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: string | null
}

export const defineSession = (sequelize: Sequelize) =>
  defineTable<SessionRow>(sequelize, 'sessions', {
    tokenHash: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    isPersistent: { type: DataTypes.BOOLEAN, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    expiresAt: { type: DataTypes.INTEGER, allowNull: false },
    provedAt: { type: DataTypes.INTEGER, allowNull: false },
    logonTokenId: DataTypes.TEXT,
    pageKeyHash: DataTypes.TEXT,
    lastSeenAt: { type: DataTypes.INTEGER, allowNull: false },
    remoteAddress: DataTypes.TEXT,
    userAgent: DataTypes.TEXT,
  })
