import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Last row of the audit log, sealed: removing the newest rows leaves a head that names more. */
export interface AuditHeadRow {
  id: 'server'
  lastId: number
  hash: string
  seal: string
}

export const defineAuditHead = (sequelize: Sequelize) =>
  defineTable<AuditHeadRow>(sequelize, 'audit_head', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    lastId: { type: DataTypes.INTEGER, allowNull: false },
    hash: { type: DataTypes.TEXT, allowNull: false },
    seal: { type: DataTypes.TEXT, allowNull: false },
  })
