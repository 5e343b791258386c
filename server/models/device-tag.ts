import { key } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineDeviceTag = defineTable('device_tags', {
  deviceId: key(),
  tagId: key(),
})
export type DeviceTagRow = RowOf<typeof defineDeviceTag>
