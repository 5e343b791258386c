import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface ServiceAccountRow {
  id: string
  /** Null for a server service account. */
  tenantId: string | null
  name: string
  description: string | null
  isEnabled: boolean
  accessMode: 'Unrestricted' | 'Restricted'
  createdAt: number
}

export const defineServiceAccount = (sequelize: Sequelize) =>
  defineTable<ServiceAccountRow>(sequelize, 'service_accounts', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: DataTypes.TEXT,
    name: { type: DataTypes.TEXT, allowNull: false },
    description: DataTypes.TEXT,
    isEnabled: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: true },
    accessMode: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
