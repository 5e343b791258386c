import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface ServerAlertRow {
  id: string
  message: string
  severity: number
  isDismissable: boolean
  isSticky: boolean
  isEnabled: boolean
}

export const defineServerAlert = (sequelize: Sequelize) =>
  defineTable<ServerAlertRow>(sequelize, 'server_alerts', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    message: { type: DataTypes.TEXT, allowNull: false },
    severity: { type: DataTypes.INTEGER, allowNull: false },
    isDismissable: { type: DataTypes.BOOLEAN, allowNull: false },
    isSticky: { type: DataTypes.BOOLEAN, allowNull: false },
    isEnabled: { type: DataTypes.BOOLEAN, allowNull: false },
  })
