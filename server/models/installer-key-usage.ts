import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** A registration of a device with an installer key. */
export interface InstallerKeyUsageRow {
  id: string
  keyId: string
  deviceId: string
  timestamp: number
  remoteIpAddress: string
}

export const defineInstallerKeyUsage = (sequelize: Sequelize) =>
  defineTable<InstallerKeyUsageRow>(sequelize, 'installer_key_usages', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    keyId: { type: DataTypes.TEXT, allowNull: false },
    deviceId: { type: DataTypes.TEXT, allowNull: false },
    timestamp: { type: DataTypes.INTEGER, allowNull: false },
    remoteIpAddress: { type: DataTypes.TEXT, allowNull: false },
  })
