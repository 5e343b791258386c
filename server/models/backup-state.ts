import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Settings and state of backups, in one row. Times in milliseconds since 1970. */
export interface BackupStateRow {
  id: 'server'
  /** Random id in the header of each copy. */
  serverId: string
  /** Public part of the recovery key; null without one. */
  publicKey: string | null
  keyMadeAt: number | null
  /** Last proof that somebody has the recovery key. */
  keyProvedAt: number | null
  /** Folder of the nightly copies; null turns them off. */
  folder: string | null
  /** Hour of the nightly copy, in the zone of the server. */
  hour: number
  keepDaily: number
  keepWeekly: number
  keepMonthly: number
  /** Newest copy. */
  lastAt: number | null
  lastBytes: number | null
  lastPath: string | null
  /** Last failure since the newest copy. */
  failedAt: number | null
  failure: string | null
  /** Last rehearsal. */
  checkedAt: number | null
  checkedPath: string | null
  checkProblem: string | null
  /** JSON: what the rehearsal found in the copy. */
  checkedCounts: string | null
  /** Last notice to administrators about an old copy. */
  noticedAt: number | null
}

const nullable = (type: DataTypes.DataType) => ({ type, allowNull: true })
/** A new object for each column: Sequelize writes the name of the column into it. */
const number = () => ({ type: DataTypes.INTEGER, allowNull: false })

export const defineBackupState = (sequelize: Sequelize) =>
  defineTable<BackupStateRow>(sequelize, 'backup_state', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    serverId: { type: DataTypes.TEXT, allowNull: false },
    publicKey: nullable(DataTypes.TEXT),
    keyMadeAt: nullable(DataTypes.INTEGER),
    keyProvedAt: nullable(DataTypes.INTEGER),
    folder: nullable(DataTypes.TEXT),
    hour: number(),
    keepDaily: number(),
    keepWeekly: number(),
    keepMonthly: number(),
    lastAt: nullable(DataTypes.INTEGER),
    lastBytes: nullable(DataTypes.INTEGER),
    lastPath: nullable(DataTypes.TEXT),
    failedAt: nullable(DataTypes.INTEGER),
    failure: nullable(DataTypes.TEXT),
    checkedAt: nullable(DataTypes.INTEGER),
    checkedPath: nullable(DataTypes.TEXT),
    checkProblem: nullable(DataTypes.TEXT),
    checkedCounts: nullable(DataTypes.TEXT),
    noticedAt: nullable(DataTypes.INTEGER),
  })
