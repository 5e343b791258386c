import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceEvidenceRow {
  deviceId: string
  /** JSON of an `Evidence`, from `services/devices/evidence.ts`. */
  evidence: string
}

export const defineDeviceEvidence = (sequelize: Sequelize) =>
  defineTable<DeviceEvidenceRow>(sequelize, 'device_evidence', {
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    evidence: { type: DataTypes.TEXT, allowNull: false },
  })
