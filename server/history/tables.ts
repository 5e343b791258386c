import { defineTable, integer, key, references, type RowOf, text } from '../engines/database/table.ts'

export const StoredHistory = defineTable('device_histories', {
  deviceId: references('devices', key()),
  /** Last hour in `samples`, in hours since 1970. */
  hour: integer(),
  /** JSON: paths of the disks, in the order of their rows. */
  disks: text(),
  /** Base64 of the samples, encoded by `history/device-history.ts`. */
  samples: text(),
}).with({ mirror: null })
export type StoredHistoryRow = RowOf<typeof StoredHistory>
