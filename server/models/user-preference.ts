import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserPreferenceRow {
  id: string
  userId: string
  name: string
  value: string
}

export const defineUserPreference = (sequelize: Sequelize) =>
  defineTable<UserPreferenceRow>(sequelize, 'user_preferences', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    name: { type: DataTypes.TEXT, allowNull: false },
    value: { type: DataTypes.TEXT, allowNull: false },
  })
