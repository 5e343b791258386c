import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** One sign-in for bearer tokens, with every token that came of it. */
export interface TokenFamilyRow {
  id: string
  userId: string
  /** Of the one refresh token that may be used next. */
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
