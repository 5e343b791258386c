import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

/** Network settings of an administrator, in one row. */
export interface NetworkSettingsRow {
  id: 'network'
  isServed: boolean
  port: number
  /** JSON: a list of host names. */
  names: string
  /** Uploaded custom certificate: JSON, sealed. Null for none. */
  sealedCertificate: string | null
}

export const defineNetworkSettings = (sequelize: Sequelize) =>
  defineTable<NetworkSettingsRow>(sequelize, 'network_settings', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    isServed: { type: DataTypes.BOOLEAN, allowNull: false },
    port: { type: DataTypes.INTEGER, allowNull: false },
    names: { type: DataTypes.TEXT, allowNull: false },
    sealedCertificate: { type: DataTypes.TEXT },
  })
