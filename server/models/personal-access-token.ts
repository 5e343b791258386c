import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface PersonalAccessTokenRow {
  id: string
  userId: string
  name: string
  secretHash: string
  permissionMode: 'Restricted' | 'InheritOwner'
  createdAt: number
  lastUsed: number | null
  /** Null for a token without an end. */
  expiresAt: number | null
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: string | null
}

export const definePersonalAccessToken = (sequelize: Sequelize) =>
  defineTable<PersonalAccessTokenRow>(sequelize, 'personal_access_tokens', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    secretHash: { type: DataTypes.TEXT, allowNull: false },
    permissionMode: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    lastUsed: DataTypes.INTEGER,
    expiresAt: DataTypes.INTEGER,
    madeWith: DataTypes.TEXT,
  })
