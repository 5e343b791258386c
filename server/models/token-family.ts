import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A sign-in for bearer tokens, with all tokens derived from it. */
export interface TokenFamilyRow {
  id: string
  userId: string
  /** Generation of the only valid refresh token. */
  generation: number
  createdAt: number
  expiresAt: number
  /** Time of the last use; lags by up to a minute. */
  lastSeenAt: number
  /** Address of the last use. */
  remoteAddress: string | null
  /** `User-Agent` of the sign-in: text of a stranger. */
  userAgent: string | null
}

export const defineTokenFamily = (sequelize: Sequelize) =>
  defineTable<TokenFamilyRow>(sequelize, 'token_families', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    generation: { type: DataTypes.INTEGER, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    expiresAt: { type: DataTypes.INTEGER, allowNull: false },
    lastSeenAt: { type: DataTypes.INTEGER, allowNull: false },
    remoteAddress: DataTypes.TEXT,
    userAgent: DataTypes.TEXT,
  })
