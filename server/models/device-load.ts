import { integerKey, key, text } from './columns.ts'
import { defineTable, type RowOf } from './entity.ts'

export const defineDeviceLoad = defineTable('device_loads', {
  deviceId: key(),
  /** Hours since 1970. */
  hour: integerKey(),
  /** Base64 of the samples of that hour, encoded by `live/presence.ts`. */
  samples: text(),
})
export type DeviceLoadRow = RowOf<typeof defineDeviceLoad>
