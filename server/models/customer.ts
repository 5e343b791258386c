import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface CustomerRow {
  id: string
  tenantId: string
  name: string
  description: string | null
  notes: string | null
  createdAt: number
}

export const defineCustomer = (sequelize: Sequelize) =>
  defineTable<CustomerRow>(sequelize, 'customers', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    description: DataTypes.TEXT,
    notes: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
