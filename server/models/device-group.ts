import { defineTable, integer, key, type RowOf, text, textOrNull } from './table.ts'

export const defineDeviceGroup = defineTable('device_groups', {
  id: key(),
  tenantId: text(),
  name: text(),
  description: textOrNull(),
  createdAt: integer(),
})
export type DeviceGroupRow = RowOf<typeof defineDeviceGroup>
