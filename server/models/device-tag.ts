import { defineTable, key, type RowOf } from './table.ts'

export const defineDeviceTag = defineTable('device_tags', {
  deviceId: key(),
  tagId: key(),
})
export type DeviceTagRow = RowOf<typeof defineDeviceTag>
