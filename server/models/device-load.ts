import { defineTable, integerKey, key, type RowOf, text } from './table.ts'

export const defineDeviceLoad = defineTable('device_loads', {
  deviceId: key(),
  /** Hours since 1970. */
  hour: integerKey(),
  /** Base64 of the samples of that hour, encoded by `live/presence.ts`. */
  samples: text(),
})
export type DeviceLoadRow = RowOf<typeof defineDeviceLoad>
