import { defineTable, key, type RowOf } from './table.ts'

export const defineDeviceStar = defineTable('device_stars', {
  userId: key(),
  deviceId: key(),
})
export type DeviceStarRow = RowOf<typeof defineDeviceStar>
