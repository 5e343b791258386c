import { integer, key, text, textOrNull } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

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
