import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserGroupRow {
  id: string
  tenantId: string
  name: string
  description: string | null
  createdAt: number
}

export const defineUserGroup = (sequelize: Sequelize) =>
  defineTable<UserGroupRow>(sequelize, 'user_groups', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    description: DataTypes.TEXT,
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
