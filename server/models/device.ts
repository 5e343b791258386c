import { DataTypes, type Model, type Sequelize } from 'sequelize'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { defineTable } from './entity.ts'

/** What an agent reports, as stored. */
export type DeviceReport = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

/** A device as stored. Presence is not: who is connected is known only while the server runs. */
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
}

/** Columns that hold JSON text. */
const json = (name: 'currentUsers' | 'macAddresses' | 'drives') => ({
  type: DataTypes.TEXT,
  allowNull: false,
  get(this: Model): unknown {
    // An update of other columns has none of this one.
    const text = this.getDataValue(name) as string | undefined
    return text === undefined ? undefined : JSON.parse(text)
  },
  set(this: Model, value: unknown) {
    this.setDataValue(name, JSON.stringify(value))
  },
})

// Functions, because Sequelize writes the column's name into the object it is given.
const text = () => ({ type: DataTypes.TEXT, allowNull: false })
const integer = () => ({ type: DataTypes.INTEGER, allowNull: false })
const real = () => ({ type: DataTypes.REAL, allowNull: false })

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
    name: text(),
    agentVersion: text(),
    is64Bit: { type: DataTypes.BOOLEAN, allowNull: false },
    osArchitecture: integer(),
    osDescription: text(),
    platform: integer(),
    processorCount: integer(),
    cpuUtilization: real(),
    totalMemory: real(),
    totalStorage: real(),
    usedMemory: real(),
    usedStorage: real(),
    currentUsers: json('currentUsers'),
    macAddresses: json('macAddresses'),
    localIpV4: text(),
    localIpV6: text(),
    drives: json('drives'),
    dnsHostName: text(),
  })
