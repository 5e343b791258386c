import { defineTable, key } from './table.ts'

export const defineDeviceStar = defineTable('device_stars', {
  userId: key(),
  deviceId: key(),
})
