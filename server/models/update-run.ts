import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** An update of the appliance, or a way back, with its outcome. */
export interface UpdateRunRow {
  /** Id of the journal that the keeper writes. */
  id: string
  kind: 'install' | 'back'
  fromVersion: string
  toVersion: string
  byName: string | null
  startedAt: number
  /** Null while it runs. */
  endedAt: number | null
  /** `stopped`: ended before anything was changed. */
  outcome: 'installed' | 'failed' | 'returned' | 'stopped' | null
  reason: string | null
  /** Whether earlier data replaced newer data. */
  isDataRestored: boolean
}

export const defineUpdateRun = (sequelize: Sequelize) =>
  defineTable<UpdateRunRow>(sequelize, 'update_runs', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    kind: { type: DataTypes.TEXT, allowNull: false },
    fromVersion: { type: DataTypes.TEXT, allowNull: false },
    toVersion: { type: DataTypes.TEXT, allowNull: false },
    byName: { type: DataTypes.TEXT },
    startedAt: { type: DataTypes.INTEGER, allowNull: false },
    endedAt: { type: DataTypes.INTEGER },
    outcome: { type: DataTypes.TEXT },
    reason: { type: DataTypes.TEXT },
    isDataRestored: { type: DataTypes.BOOLEAN, allowNull: false },
  })
