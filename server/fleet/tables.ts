import { defineTable, integer, key, type RowOf, text, textOrNull } from '../database/table.ts'

export const defineDeviceStar = defineTable('device_stars', {
  userId: key(),
  deviceId: key(),
})

export const defineDeviceView = defineTable('device_views', {
  id: key(),
  tenantId: text(),
  /** Null: shared with the tenant. */
  userId: textOrNull(),
  name: text(),
  query: text(),
  sort: text(),
  authorName: text(),
  createdAt: integer(),
})
export type DeviceViewRow = RowOf<typeof defineDeviceView>
