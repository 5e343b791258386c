import type { NotePictureDto } from '../../shared/api/appliance-device-notes.ts'
import type { OrderedChange, PersonChoice } from '../../shared/dtos/power-order.ts'
import type { AbsenceCause } from '../../shared/dtos/device-absence.ts'
import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const DeviceConnection = defineTable('device_connections', {
  deviceId: t.references('devices', t.key()),
  connectedAt: t.integerKey(),
  /** Null while the device is connected, and where the server was killed before. */
  endedAt: t.integerOrNull(),
  /** Why the device went offline, as far as known at that moment. */
  cause: t.textOrNull<AbsenceCause>(),
}).with({ mirror: null })
export type DeviceConnectionRow = RowOf<typeof DeviceConnection>

/** Facts that tell two machines with one identity apart. */
export interface Machine {
  /** Hash of all facts below. */
  id: string
  name: string
  osDescription: string
  processorCount: number
  totalMemory: number
  macAddresses: readonly string[]
  /** Local addresses, and the address that the server sees. */
  addresses: readonly string[]
}

/** Two machines with one identity, until somebody chooses which of them stays. */
export type Rivals = readonly [Machine, Machine]

export const DeviceEvidence = defineTable('device_evidence', {
  deviceId: t.references('devices', t.key()),
  /** JSON of an `Evidence`, from `devices/absence-evidence.ts`. */
  evidence: t.text(),
}).with({ mirror: null })

export const DeviceLoad = defineTable('device_loads', {
  deviceId: t.references('devices', t.key()),
  /** Hours since 1970. */
  hour: t.integerKey(),
  /** Base64 of the samples of that hour, encoded by `devices/presence.ts`. */
  samples: t.text(),
}).with({ mirror: null })
export type DeviceLoadRow = RowOf<typeof DeviceLoad>

export const DeviceNote = defineTable('device_notes', {
  id: t.key(),
  deviceId: t.references('devices'),
  tenantId: t.references('tenants'),
  text: t.text(),
  /** Lower case, searched by `note:`. */
  searchText: t.text(),
  /** Owner key, from `ownerOf`. */
  author: t.text(),
  /** Display name at that time. */
  authorName: t.text(),
  createdAt: t.integer(),
  updatedAt: t.integer(),
  /** Account whose limits it uses, from `accountOf`; empty for notes from before this column. */
  account: t.text(''),
}).with({ mirror: null, indexes: { device_notes_tenant: '(tenantId)', device_notes_device: '(deviceId, createdAt)' } })
export type DeviceNoteRow = RowOf<typeof DeviceNote>

export const DeviceNotePicture = defineTable('device_note_pictures', {
  noteId: t.references('device_notes', t.key()),
  tenantId: t.references('tenants'),
  type: t.text<NotePictureDto['type']>(),
  width: t.integer(),
  height: t.integer(),
  byteCount: t.integer(),
  /** Base64. */
  content: t.text(),
  /** That of the note. */
  account: t.text(''),
}).with({ mirror: null, indexes: { device_note_pictures_tenant: '(tenantId)' } })
export type DeviceNotePictureRow = RowOf<typeof DeviceNotePicture>

/** Restart or shutdown that was ordered for later; its agent keeps it too. */
export const PowerOrder = defineTable('power_orders', {
  deviceId: t.references('devices', t.key()),
  id: t.text(),
  change: t.text<OrderedChange>(),
  person: t.text<PersonChoice>(),
  /** Reported by the agent; on the clock of this server. */
  dueAt: t.integer(),
  makerKind: t.text<'User' | 'ServiceAccount'>(),
  makerId: t.text(),
  /** Restricted token that limits the order. */
  madeWith: t.textOrNull(),
  /** Display name at that time. */
  makerName: t.text(),
  createdAt: t.integer(),
  /** When its agent was told to go ahead; the row stays until the agent has reported that the order is gone. */
  confirmedAt: t.integerOrNull(),
}).with({ mirror: null })
export type PowerOrderRow = RowOf<typeof PowerOrder>

export const DeviceTag = defineTable('device_tags', {
  deviceId: t.references('devices', t.key()),
  tagId: t.references('tags', t.key()),
}).with({ mirror: { key: 'deviceId' }, indexes: { device_tags_by_tag: '(tagId)' } })

export const Tag = defineTable('tags', {
  id: t.key(),
  tenantId: t.references('tenants'),
  name: t.text(),
  type: t.text<'Unknown' | 'Permission'>(),
  createdAt: t.integer(),
}).with({ mirror: { key: 'id' }, uniqueIndexes: { tags_once: '(tenantId, name)' } })
export type TagRow = RowOf<typeof Tag>

export const TagColor = defineTable('tag_colors', {
  tagId: t.references('tags', t.key()),
  color: t.text(),
}).with({ mirror: null })
