import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A cookie session; the cookie holds the token, this row only its hash. */
export interface SessionRow {
  tokenHash: string
  userId: string
  isPersistent: boolean
  createdAt: number
  expiresAt: number
  /** When its user last proved who they are. */
  provedAt: number
  /** The logon token that this session came from, and whose grants are all it has. */
  logonTokenId: string | null
  /** Hash of the key of the page that the session belongs to; null for a session that its cookie alone opens. */
  pageKeyHash: string | null
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
  })
