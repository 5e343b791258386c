import { DataTypes, type Sequelize } from 'sequelize'
import type { BatchState } from '../../shared/dtos/batch.ts'
import { defineTable } from './entity.ts'

/** Result of one device in a batch. Kept after the device is deleted. */
export interface BatchResultRow {
  batchId: string
  /** Index of the device in the request, from 0. */
  place: number
  deviceId: string
  /** Name at that time; empty for a device that the principal could not see. */
  deviceName: string
  state: BatchState
  reason: string | null
  startedAt: number | null
  finishedAt: number | null
  exitCode: number | null
  /** Last line of the output, sealed. */
  sealedLine: string | null
  /** A `BatchOutputDto` as JSON, sealed; null without output. */
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
