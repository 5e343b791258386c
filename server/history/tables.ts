import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const StoredHistory = defineTable('device_histories', {
  deviceId: t.references('devices', t.key()),
  /** Last hour in `samples`, in hours since 1970. */
  hour: t.integer(),
  /** JSON: paths of the disks, in the order of their rows. */
  disks: t.text(),
  /** Base64 of the samples, encoded by `history/device-history.ts`. */
  samples: t.text(),
}).with({ mirror: null })
export type StoredHistoryRow = RowOf<typeof StoredHistory>
