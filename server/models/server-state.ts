import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** State of the whole server, in one row. */
export interface ServerStateRow {
  id: 'server'
  /** Set by a database trigger with the first user, and never reset. */
  hasHadUsers: boolean
  /** Last check of the whole database that found no damage. */
  integrityCheckedAt: number | null
}

export const defineServerState = (sequelize: Sequelize) =>
  defineTable<ServerStateRow>(sequelize, 'server_state', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    hasHadUsers: { type: DataTypes.BOOLEAN, allowNull: false },
    integrityCheckedAt: { type: DataTypes.INTEGER },
  })
