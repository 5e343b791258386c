import { key } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineDeviceStar = defineTable('device_stars', {
  userId: key(),
  deviceId: key(),
})
export type DeviceStarRow = RowOf<typeof defineDeviceStar>
