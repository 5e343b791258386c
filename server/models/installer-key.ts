import { DataTypes, type Sequelize } from 'sequelize'
import type { InstallerKeyType } from '../../shared/dtos/installer-key.ts'
import { defineTable } from './entity.ts'

export interface InstallerKeyRow {
  id: string
  tenantId: string
  creatorId: string
  creatorKind: 'User' | 'ServiceAccount'
  keyType: Exclude<InstallerKeyType, 'Unknown'>
  secretHash: string
  friendlyName: string | null
  allowedUses: number | null
  expiration: number | null
  createdAt: number
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: string | null
}

export const defineInstallerKey = (sequelize: Sequelize) =>
  defineTable<InstallerKeyRow>(sequelize, 'installer_keys', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    creatorId: { type: DataTypes.TEXT, allowNull: false },
    creatorKind: { type: DataTypes.TEXT, allowNull: false },
    keyType: { type: DataTypes.TEXT, allowNull: false },
    secretHash: { type: DataTypes.TEXT, allowNull: false },
    friendlyName: DataTypes.TEXT,
    allowedUses: DataTypes.INTEGER,
    expiration: DataTypes.INTEGER,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    madeWith: DataTypes.TEXT,
  })
