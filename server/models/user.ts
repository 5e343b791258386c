import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface UserRow {
  id: string
  tenantId: string
  userName: string
  email: string
  passwordHash: string
  createdAt: number
  lastLogin: number | null
  failedSignIns: number
  lockedUntil: number | null
}

export const defineUser = (sequelize: Sequelize) =>
  defineTable<UserRow>(sequelize, 'users', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    userName: { type: DataTypes.TEXT, allowNull: false },
    email: { type: DataTypes.TEXT, allowNull: false },
    passwordHash: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    lastLogin: DataTypes.INTEGER,
    failedSignIns: { type: DataTypes.INTEGER, allowNull: false, defaultValue: 0 },
    lockedUntil: DataTypes.INTEGER,
  })
