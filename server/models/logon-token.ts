import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface LogonTokenRow {
  id: string
  tenantId: string
  userId: string
  deviceId: string
  secretHash: string
  sessionCorrelationId: string | null
  /** JSON array of system session ids; null allows every session. */
  allowedDesktopSessionIds: string | null
  createdAt: number
  expiresAt: number
  consumedAt: number | null
  /** Restricted token that made the row, whose rights limit it; null if a user made it. */
  madeWith: string | null
}

export const defineLogonToken = (sequelize: Sequelize) =>
  defineTable<LogonTokenRow>(sequelize, 'logon_tokens', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    userId: { type: DataTypes.TEXT, allowNull: false },
    deviceId: { type: DataTypes.TEXT, allowNull: false },
    secretHash: { type: DataTypes.TEXT, allowNull: false },
    sessionCorrelationId: DataTypes.TEXT,
    allowedDesktopSessionIds: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    expiresAt: { type: DataTypes.INTEGER, allowNull: false },
    consumedAt: DataTypes.INTEGER,
    madeWith: DataTypes.TEXT,
  })
