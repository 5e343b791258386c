import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A run of the server, as far as recorded. */
export interface ServerRunRow {
  startedAt: number
  /** Updated every minute and at an orderly shutdown. */
  aliveUntil: number
}

export const defineServerRun = (sequelize: Sequelize) =>
  defineTable<ServerRunRow>(sequelize, 'server_runs', {
    startedAt: { type: DataTypes.INTEGER, primaryKey: true },
    aliveUntil: { type: DataTypes.INTEGER, allowNull: false },
  })
