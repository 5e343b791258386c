import type { DeviceUpdateRequestDto } from '../../shared/dtos/device.ts'
import {
  defineTable,
  integer,
  integerKey,
  integerOrNull,
  key,
  references,
  type RowOf,
  text,
  textOrNull,
} from '../database/table.ts'
import { replacedColumns, reportAttributes } from './report-columns.ts'

/** Report of an agent, as stored. */
export type DeviceReport = Omit<DeviceUpdateRequestDto, 'id' | 'tenantId'>

export const Device = defineTable('devices', {
  id: key(),
  tenantId: references('tenants'),
  createdAt: integer(),
  lastSeen: integer(),
  alias: textOrNull(),
  /** Base64 of the 32 raw Ed25519 bytes. */
  publicKey: textOrNull(),
  publicIpV4: text(''),
  publicIpV6: text(''),
  customerId: references('customers', textOrNull(), 'SET NULL'),
  /** Newest timestamp of an accepted update, in ticks of `readTicks`. */
  newestUpdate: integerOrNull(),
  /** Make claimed by the agent; empty if not named, null before its first report. */
  agentMake: textOrNull(),
  ...reportAttributes,
}).with({
  mirror: { key: 'id', followedByCaller: [...replacedColumns, 'newestUpdate'] },
  indexes: { devices_by_customer: '(customerId)', devices_by_tenant: '(tenantId)' },
})
/** A device as stored. Presence is not stored: connections are known only while the server runs. */
export type DeviceRow = RowOf<typeof Device>

export const DeviceEvidence = defineTable('device_evidence', {
  deviceId: references('devices', key()),
  /** JSON of an `Evidence`, from `devices/evidence.ts`. */
  evidence: text(),
}).with({ mirror: null })

export const DeviceLoad = defineTable('device_loads', {
  deviceId: references('devices', key()),
  /** Hours since 1970. */
  hour: integerKey(),
  /** Base64 of the samples of that hour, encoded by `devices/presence.ts`. */
  samples: text(),
}).with({ mirror: null })
export type DeviceLoadRow = RowOf<typeof DeviceLoad>

export const DeviceNote = defineTable('device_notes', {
  id: key(),
  deviceId: references('devices'),
  tenantId: references('tenants'),
  text: text(),
  /** Lower case, searched by `note:`. */
  searchText: text(),
  /** Owner key, from `ownerOf`. */
  author: text(),
  /** Display name at that time. */
  authorName: text(),
  createdAt: integer(),
  updatedAt: integer(),
}).with({ mirror: null, indexes: { device_notes_tenant: '(tenantId)', device_notes_device: '(deviceId, createdAt)' } })
export type DeviceNoteRow = RowOf<typeof DeviceNote>

export const DeviceTag = defineTable('device_tags', {
  deviceId: references('devices', key()),
  tagId: references('tags', key()),
}).with({ mirror: { key: 'deviceId' }, indexes: { device_tags_by_tag: '(tagId)' } })

export const Tag = defineTable('tags', {
  id: key(),
  tenantId: references('tenants'),
  name: text(),
  type: text<'Unknown' | 'Permission'>(),
  createdAt: integer(),
}).with({ mirror: { key: 'id' }, uniqueIndexes: { tags_once: '(tenantId, name)' } })
export type TagRow = RowOf<typeof Tag>

export const TagColor = defineTable('tag_colors', {
  tagId: references('tags', key()),
  color: text(),
}).with({ mirror: null })
