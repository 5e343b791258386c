import type { NotePictureDto } from '../../shared/api/appliance-device-notes.ts'
import type { OrderedChange, PersonChoice } from '../../shared/dtos/power-order.ts'
import type { AbsenceCause } from '../../shared/dtos/device-absence.ts'
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
} from '../engines/database/table.ts'

export const DeviceConnection = defineTable('device_connections', {
  deviceId: references('devices', key()),
  connectedAt: integerKey(),
  /** Null while the device is connected, and where the server was killed before. */
  endedAt: integerOrNull(),
  /** Why the device went offline, as far as known at that moment. */
  cause: textOrNull<AbsenceCause>(),
}).with({ mirror: null })
export type DeviceConnectionRow = RowOf<typeof DeviceConnection>

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

export const DeviceNotePicture = defineTable('device_note_pictures', {
  noteId: references('device_notes', key()),
  tenantId: references('tenants'),
  type: text<NotePictureDto['type']>(),
  width: integer(),
  height: integer(),
  byteCount: integer(),
  /** Base64. */
  content: text(),
}).with({ mirror: null, indexes: { device_note_pictures_tenant: '(tenantId)' } })
export type DeviceNotePictureRow = RowOf<typeof DeviceNotePicture>

/** Restart or shutdown that was ordered for later; its agent keeps it too. */
export const PowerOrder = defineTable('power_orders', {
  deviceId: references('devices', key()),
  id: text(),
  change: text<OrderedChange>(),
  person: text<PersonChoice>(),
  /** Reported by the agent; on the clock of this server. */
  dueAt: integer(),
  makerKind: text<'User' | 'ServiceAccount'>(),
  makerId: text(),
  /** Restricted token that limits the order. */
  madeWith: textOrNull(),
  /** Display name at that time. */
  makerName: text(),
  createdAt: integer(),
  /** When its agent was told to go ahead; the row stays until the agent has reported that the order is gone. */
  confirmedAt: integerOrNull(),
}).with({ mirror: null })
export type PowerOrderRow = RowOf<typeof PowerOrder>

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
