import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface RecoveryCodeRow {
  id: string
  userId: string
  codeHash: string
}

export const defineRecoveryCode = (sequelize: Sequelize) =>
  defineTable<RecoveryCodeRow>(sequelize, 'recovery_codes', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    userId: { type: DataTypes.TEXT, allowNull: false },
    codeHash: { type: DataTypes.TEXT, allowNull: false },
  })
