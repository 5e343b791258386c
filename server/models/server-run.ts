import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** From one start of the server to its end, as far as it was written down. */
export interface ServerRunRow {
  startedAt: number
  /** Written every minute and at an orderly end. */
  aliveUntil: number
}

export const defineServerRun = (sequelize: Sequelize) =>
  defineTable<ServerRunRow>(sequelize, 'server_runs', {
    startedAt: { type: DataTypes.INTEGER, primaryKey: true },
    aliveUntil: { type: DataTypes.INTEGER, allowNull: false },
  })
