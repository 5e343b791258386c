import { DataTypes, type Sequelize } from 'sequelize'
import { defineTable } from './entity.ts'

export interface DeviceNoteRow {
  id: string
  deviceId: string
  tenantId: string
  text: string
  /** Lower case, searched by `note:`. */
  searchText: string
  /** Owner key, from `ownerOf`. */
  author: string
  /** Display name at that time. */
  authorName: string
  createdAt: number
  updatedAt: number
}

export const defineDeviceNote = (sequelize: Sequelize) =>
  defineTable<DeviceNoteRow>(sequelize, 'device_notes', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    deviceId: { type: DataTypes.TEXT, allowNull: false },
    tenantId: { type: DataTypes.TEXT, allowNull: false },
    text: { type: DataTypes.TEXT, allowNull: false },
    searchText: { type: DataTypes.TEXT, allowNull: false },
    author: { type: DataTypes.TEXT, allowNull: false },
    authorName: { type: DataTypes.TEXT, allowNull: false },
    createdAt: { type: DataTypes.INTEGER, allowNull: false },
    updatedAt: { type: DataTypes.INTEGER, allowNull: false },
  })
