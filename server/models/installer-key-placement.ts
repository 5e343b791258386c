import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface InstallerKeyPlacementRow {
  keyId: string
  customerId: string | null
  /** JSON list of ids. */
  deviceGroupIds: string
  /** JSON list of ids. */
  tagIds: string
}

export const defineInstallerKeyPlacement = (sequelize: Sequelize) =>
  defineTable<InstallerKeyPlacementRow>(sequelize, 'installer_key_placements', {
    keyId: { type: DataTypes.TEXT, primaryKey: true },
    customerId: DataTypes.TEXT,
    deviceGroupIds: { type: DataTypes.TEXT, allowNull: false },
    tagIds: { type: DataTypes.TEXT, allowNull: false },
  })
