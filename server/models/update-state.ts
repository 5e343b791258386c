import { defineTable, integer, key, type RowOf, textOrNull } from './table.ts'

export const defineUpdateState = defineTable('update_state', {
  id: key<'server'>(),
  /** `signedAt` of the newest release that was ever seen: older ones are refused. */
  newestSignedAt: integer(),
  /** JSON of the verified `ReleaseStatement` that the feed shows; null without one. */
  release: textOrNull(),
  checkedAt: integer(),
  /** Why the last look failed; null if it did not. */
  problem: textOrNull(),
})
/** The last look at the feed, in one row. */
export type UpdateStateRow = RowOf<typeof defineUpdateState>
