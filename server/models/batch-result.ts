import { DataTypes, type Sequelize } from 'sequelize'
import type { BatchState } from '../../shared/dtos/batch.ts'
import { defineTable } from './entity.ts'

/** What became of one device of a batch. It outlives the device. */
export interface BatchResultRow {
  batchId: string
  /** Order in which the devices were named, from 0. */
  place: number
  deviceId: string
  /** As it was called then; empty for one that the principal could not see. */
  deviceName: string
  state: BatchState
  reason: string | null
  startedAt: number | null
  finishedAt: number | null
  exitCode: number | null
  /** The last line of the output, sealed. */
  sealedLine: string | null
  /** A `BatchOutputDto` as JSON, sealed; null where nothing was written. */
  sealedOutput: string | null
}

export const defineBatchResult = (sequelize: Sequelize) =>
  defineTable<BatchResultRow>(sequelize, 'batch_results', {
    batchId: { type: DataTypes.TEXT, primaryKey: true },
    place: { type: DataTypes.INTEGER, allowNull: false },
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    deviceName: { type: DataTypes.TEXT, allowNull: false },
    state: { type: DataTypes.TEXT, allowNull: false },
    reason: DataTypes.TEXT,
    startedAt: DataTypes.INTEGER,
    finishedAt: DataTypes.INTEGER,
    exitCode: DataTypes.INTEGER,
    sealedLine: DataTypes.TEXT,
    sealedOutput: DataTypes.TEXT,
  })
