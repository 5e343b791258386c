import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceStarRow {
  userId: string
  deviceId: string
}

export const defineDeviceStar = (sequelize: Sequelize) =>
  defineTable<DeviceStarRow>(sequelize, 'device_stars', {
    userId: { type: DataTypes.TEXT, primaryKey: true },
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
  })
