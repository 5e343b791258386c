import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import { reportAttributes } from './device-columns.ts'
import { defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

/** Report of an agent, as stored. */
export type DeviceReport = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

export const defineDevice = defineTable('devices', {
  id: key(),
  tenantId: text(),
  createdAt: integer(),
  lastSeen: integer(),
  alias: textOrNull(),
  /** Base64 of the 32 raw Ed25519 bytes. */
  publicKey: textOrNull(),
  publicIpV4: text(''),
  publicIpV6: text(''),
  customerId: textOrNull(),
  /** Newest timestamp of an accepted update, in ticks of `readTicks`. */
  newestUpdate: integerOrNull(),
  /** Make claimed by the agent; empty if not named, null before its first report. */
  agentMake: textOrNull(),
  ...reportAttributes,
})
/** A device as stored. Presence is not stored: connections are known only while the server runs. */
export type DeviceRow = RowOf<typeof defineDevice>
