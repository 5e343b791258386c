import { integer, key, text, textOrNull } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineDeviceGroup = defineTable('device_groups', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  createdAt: integer(),
})
export type DeviceGroupRow = RowOf<typeof defineDeviceGroup>
