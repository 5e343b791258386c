import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface ServiceAccountCredentialRow {
  id: string
  serviceAccountId: string
  name: string
  secretHash: string
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  lastUsedAt: number | null
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: string | null
}

export const defineServiceAccountCredential = (sequelize: Sequelize) =>
  defineTable<ServiceAccountCredentialRow>(sequelize, 'service_account_credentials', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    serviceAccountId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    secretHash: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    expiresAt: DataTypes.INTEGER,
    revokedAt: DataTypes.INTEGER,
    lastUsedAt: DataTypes.INTEGER,
    madeWith: DataTypes.TEXT,
  })
