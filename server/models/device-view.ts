import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceViewRow {
  id: string
  tenantId: string
  /** Null: shared with the tenant. */
  userId: string | null
  name: string
  query: string
  sort: string
  authorName: string
  createdAt: number
}

export const defineDeviceView = (sequelize: Sequelize) =>
  defineTable<DeviceViewRow>(sequelize, 'device_views', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    userId: DataTypes.TEXT,
    name: { type: DataTypes.TEXT, allowNull: false },
    query: { type: DataTypes.TEXT, allowNull: false },
    sort: { type: DataTypes.TEXT, allowNull: false },
    authorName: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
