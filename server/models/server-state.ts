import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** The one row of what is true of the whole server. */
export interface ServerStateRow {
  id: 'server'
  /** Set by the database with the first user, and never taken back. */
  hasHadUsers: boolean
}

export const defineServerState = (sequelize: Sequelize) =>
  defineTable<ServerStateRow>(sequelize, 'server_state', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    hasHadUsers: { type: DataTypes.BOOLEAN, allowNull: false },
  })
