import { DataTypes, type Sequelize } from 'sequelize'
import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { reportAttributes } from './device-columns.ts'
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

/**
 * A device as the server knows it now: the stored row, what it belongs to and, in memory only, the agent's connection. A
 * snapshot: every change makes a new one, so what was made from one may be kept for as long as it lives.
 */
export interface DeviceState extends Readonly<DeviceRow> {
  readonly customerName: string | null
  readonly groupIds: readonly string[]
  readonly tagIds: readonly string[]
  /** Empty when offline. */
  readonly connectionId: string
}

/** A device from its registration to its deletion; a later one with the same id is another. Holds the latest snapshot. */
export interface FleetEntry {
  readonly device: DeviceState
  // Beside the snapshot, because a search over thousands of devices costs what it has to fetch from memory.
  readonly isOnline: boolean
  readonly isTagged: boolean
  /** What searching made of the texts of the device. */
  searchKeys?: SearchKeys | undefined
}

export interface SearchKeys {
  /** All that text is looked for in, in lower case. */
  text: string
  name: string
}

// Functions, because Sequelize writes the column's name into the object it is given.
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
    ...reportAttributes(),
  })
