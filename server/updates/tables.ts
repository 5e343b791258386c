import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const UpdateRun = defineTable('update_runs', {
  /** Id of the journal that the keeper writes. */
  id: t.key(),
  kind: t.check(t.text<'install' | 'back'>(), "kind IN ('install', 'back')"),
  fromVersion: t.text(),
  toVersion: t.text(),
  byName: t.textOrNull(),
  startedAt: t.integer(),
  /** Null while it runs. */
  endedAt: t.integerOrNull(),
  /** `stopped`: ended before anything was changed. */
  outcome: t.textOrNull<'installed' | 'failed' | 'returned' | 'stopped'>(),
  reason: t.textOrNull(),
  /** Whether earlier data replaced newer data. */
  isDataRestored: t.boolean(),
}).with({ mirror: null })
/** An update of the appliance, or a way back, with its outcome. */
export type UpdateRunRow = RowOf<typeof UpdateRun>

export const UpdateState = defineTable('update_state', {
  id: t.check(t.key<'server'>(), "id = 'server'"),
  /** `signedAt` of the newest release that was ever seen: older ones are refused. */
  newestSignedAt: t.integer(),
  /** JSON of the verified `ReleaseStatement` that the feed shows; null without one. */
  release: t.textOrNull(),
  checkedAt: t.integer(),
  /** Why the last look failed; null if it did not. */
  problem: t.textOrNull(),
}).with({ mirror: null })
/** The last look at the feed, in one row. */
export type UpdateStateRow = RowOf<typeof UpdateState>
