import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceGroupRow {
  id: string
  tenantId: string
  name: string
  description: string | null
  createdAt: number
}

export const defineDeviceGroup = (sequelize: Sequelize) =>
  defineTable<DeviceGroupRow>(sequelize, 'device_groups', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    description: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
