import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceGroupMemberRow {
  groupId: string
  deviceId: string
}

export const defineDeviceGroupMember = (sequelize: Sequelize) =>
  defineTable<DeviceGroupMemberRow>(sequelize, 'device_group_members', {
    groupId: { type: DataTypes.TEXT, primaryKey: true },
    deviceId: { type: DataTypes.TEXT, primaryKey: true },
  })
