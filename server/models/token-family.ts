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
}

export const defineTokenFamily = (sequelize: Sequelize) =>
  defineTable<TokenFamilyRow>(sequelize, 'token_families', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    generation: { type: DataTypes.INTEGER, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    expiresAt: { type: DataTypes.INTEGER, allowNull: false },
  })
