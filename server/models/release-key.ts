import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** The key that signs the agents of this server, in one row. */
export interface ReleaseKeyRow {
  id: 'server'
  /** Sealed. */
  key: string
  /** JSON: public keys up to this key, each signed by its predecessor. */
  named: string
}

export const defineReleaseKey = (sequelize: Sequelize) =>
  defineTable<ReleaseKeyRow>(sequelize, 'release_key', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    key: { type: DataTypes.TEXT, allowNull: false },
    named: { type: DataTypes.TEXT, allowNull: false },
  })
