import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserStorageItemRow {
  id: string
  userId: string
  key: string
  value: string
}

export const defineUserStorageItem = (sequelize: Sequelize) =>
  defineTable<UserStorageItemRow>(sequelize, 'user_storage', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    key: { type: DataTypes.TEXT, allowNull: false },
    value: { type: DataTypes.TEXT, allowNull: false },
  })
