import { defineTable, integer, key, type RowOf, text } from './table.ts'

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
