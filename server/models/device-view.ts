import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

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
