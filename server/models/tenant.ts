import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface TenantRow {
  id: string
  name: string
  createdAt: number
}

export const defineTenant = (sequelize: Sequelize) =>
  defineTable<TenantRow>(sequelize, 'tenants', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    name: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
