import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** The last look at the feed, in one row. */
export interface UpdateStateRow {
  id: 'server'
  /** `signedAt` of the newest release that was ever seen: older ones are refused. */
  newestSignedAt: number
  /** JSON of the verified `ReleaseStatement` that the feed shows; null without one. */
  release: string | null
  checkedAt: number
  /** Why the last look failed; null if it did not. */
  problem: string | null
}

export const defineUpdateState = (sequelize: Sequelize) =>
  defineTable<UpdateStateRow>(sequelize, 'update_state', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    newestSignedAt: { type: DataTypes.INTEGER, allowNull: false },
    release: { type: DataTypes.TEXT },
    checkedAt: { type: DataTypes.INTEGER, allowNull: false },
    problem: { type: DataTypes.TEXT },
  })
