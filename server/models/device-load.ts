import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceLoadRow {
  deviceId: string
  /** Hours since 1970. */
  hour: number
  /** Base64 of the samples of that hour, encoded by `live/presence.ts`. */
  samples: string
}

export const defineDeviceLoad = (sequelize: Sequelize) =>
  defineTable<DeviceLoadRow>(sequelize, 'device_loads', {
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    hour: { type: DataTypes.INTEGER, primaryKey: true },
    samples: { type: DataTypes.TEXT, allowNull: false },
  })
