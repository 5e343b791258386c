import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface AuthorizationChangeLogRow {
  id: string
  actionType: string
  actorPrincipalType: 'user' | 'service-account' | 'system'
  actorPrincipalId: string | null
  targetType: string
  targetId: string
  owningTenantId: string | null
  ipAddress: string | null
  createdAt: number
  beforeJson: string | null
  afterJson: string | null
}

export const defineAuthorizationChangeLog = (sequelize: Sequelize) =>
  defineTable<AuthorizationChangeLogRow>(sequelize, 'authorization_change_logs', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    actionType: { type: DataTypes.TEXT, allowNull: false },
    actorPrincipalType: { type: DataTypes.TEXT, allowNull: false },
    actorPrincipalId: DataTypes.TEXT,
    targetType: { type: DataTypes.TEXT, allowNull: false },
    targetId: { type: DataTypes.TEXT, allowNull: false },
    owningTenantId: DataTypes.TEXT,
    ipAddress: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    beforeJson: DataTypes.TEXT,
    afterJson: DataTypes.TEXT,
  })
