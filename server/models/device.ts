import { DataTypes, type Sequelize } from 'sequelize'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { reportAttributes } from './device-columns.ts'
import { defineTable } from './entity.ts'

/** Report of an agent, as stored. */
export type DeviceReport = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

/** A device as stored. Presence is not stored: connections are known only while the server runs. */
export interface DeviceRow extends DeviceReport {
  id: string
  tenantId: string
  createdAt: number
  lastSeen: number
  alias: string | null
  /** Base64 of the 32 raw Ed25519 bytes. */
  publicKey: string | null
  publicIpV4: string
  publicIpV6: string
  customerId: string | null
  /** Newest timestamp of an accepted update, in ticks of `readTicks`. */
  newestUpdate: number | null
  /** Make claimed by the agent; empty if not named, null before its first report. */
  agentMake: string | null
}

// Functions, because Sequelize adds the column's name to the object.
const text = () => ({ type: DataTypes.TEXT, allowNull: false })
const integer = () => ({ type: DataTypes.INTEGER, allowNull: false })

export const defineDevice = (sequelize: Sequelize) =>
  defineTable<DeviceRow>(sequelize, 'devices', {
    id: { type: DataTypes.TEXT, primaryKey: true },
    tenantId: text(),
    createdAt: integer(),
    lastSeen: integer(),
    alias: DataTypes.TEXT,
    publicKey: DataTypes.TEXT,
    publicIpV4: { ...text(), defaultValue: '' },
    publicIpV6: { ...text(), defaultValue: '' },
    customerId: DataTypes.TEXT,
    newestUpdate: DataTypes.INTEGER,
    agentMake: DataTypes.TEXT,
    ...reportAttributes(),
  })
