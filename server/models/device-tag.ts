import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceTagRow {
  deviceId: string
  tagId: string
}

export const defineDeviceTag = (sequelize: Sequelize) =>
  defineTable<DeviceTagRow>(sequelize, 'device_tags', {
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
    tagId: { type: DataTypes.TEXT, primaryKey: true },
  })
