import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import {
  defineTable,
  integer,
  integerKey,
  integerOrNull,
  key,
  type RowOf,
  text,
  textOrNull,
} from '../database/table.ts'
import { reportAttributes } from './report-columns.ts'

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

export const defineDeviceEvidence = defineTable('device_evidence', {
  deviceId: key(),
  /** JSON of an `Evidence`, from `devices/evidence.ts`. */
  evidence: text(),
})

export const defineDeviceLoad = defineTable('device_loads', {
  deviceId: key(),
  /** Hours since 1970. */
  hour: integerKey(),
  /** Base64 of the samples of that hour, encoded by `devices/presence.ts`. */
  samples: text(),
})
export type DeviceLoadRow = RowOf<typeof defineDeviceLoad>

export const defineDeviceNote = defineTable('device_notes', {
  id: key(),
  deviceId: text(),
  tenantId: text(),
  text: text(),
  /** Lower case, searched by `note:`. */
  searchText: text(),
  /** Owner key, from `ownerOf`. */
  author: text(),
  /** Display name at that time. */
  authorName: text(),
  createdAt: integer(),
  updatedAt: integer(),
})
export type DeviceNoteRow = RowOf<typeof defineDeviceNote>

export const defineDeviceTag = defineTable('device_tags', {
  deviceId: key(),
  tagId: key(),
})

export const defineTag = defineTable('tags', {
  id: key(),
  tenantId: text(),
  name: text(),
  type: text<'Unknown' | 'Permission'>(),
  createdAt: integer(),
})
export type TagRow = RowOf<typeof defineTag>

export const defineTagColor = defineTable('tag_colors', {
  tagId: key(),
  color: text(),
})
