import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface TagRow {
  id: string
  tenantId: string
  name: string
  type: 'Unknown' | 'Permission'
  createdAt: number
}

export const defineTag = (sequelize: Sequelize) =>
  defineTable<TagRow>(sequelize, 'tags', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    type: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
  })
