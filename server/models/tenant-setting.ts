import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface TenantSettingRow {
  id: string
  tenantId: string
  name: string
  value: string
}

export const defineTenantSetting = (sequelize: Sequelize) =>
  defineTable<TenantSettingRow>(sequelize, 'tenant_settings', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    value: { type: DataTypes.TEXT, allowNull: false },
  })
