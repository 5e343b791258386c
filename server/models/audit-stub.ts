import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Place of rows removed after their retention, and the hash that the next row continues. */
export interface AuditStubRow {
  /** Last removed row. */
  lastId: number
  firstId: number
  /** Times of the first and the last removed row. */
  firstAt: number
  lastAt: number
  cutAt: number
  /** Hash of the last removed row. */
  hash: string
  seal: string
}

export const defineAuditStub = (sequelize: Sequelize) =>
  defineTable<AuditStubRow>(sequelize, 'audit_stubs', {
    lastId: { type: DataTypes.INTEGER, primaryKey: true },
    firstId: { type: DataTypes.INTEGER, allowNull: false },
    firstAt: { type: DataTypes.INTEGER, allowNull: false },
    lastAt: { type: DataTypes.INTEGER, allowNull: false },
    cutAt: { type: DataTypes.INTEGER, allowNull: false },
    hash: { type: DataTypes.TEXT, allowNull: false },
    seal: { type: DataTypes.TEXT, allowNull: false },
  })
