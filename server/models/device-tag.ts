import { defineTable, key } from './table.ts'

export const defineDeviceTag = defineTable('device_tags', {
  deviceId: key(),
  tagId: key(),
})
