import {
  boolean,
  check,
  defineTable,
  integer,
  integerOrNull,
  key,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const UpdateRun = defineTable('update_runs', {
  /** Id of the journal that the keeper writes. */
  id: key(),
  kind: check(text<'install' | 'back'>(), "kind IN ('install', 'back')"),
  fromVersion: text(),
  toVersion: text(),
  byName: textOrNull(),
  startedAt: integer(),
  /** Null while it runs. */
  endedAt: integerOrNull(),
  /** `stopped`: ended before anything was changed. */
  outcome: textOrNull<'installed' | 'failed' | 'returned' | 'stopped'>(),
  reason: textOrNull(),
  /** Whether earlier data replaced newer data. */
  isDataRestored: boolean(),
}).with({ mirror: null })
/** An update of the appliance, or a way back, with its outcome. */
export type UpdateRunRow = RowOf<typeof UpdateRun>

export const UpdateState = defineTable('update_state', {
  id: check(key<'server'>(), "id = 'server'"),
  /** `signedAt` of the newest release that was ever seen: older ones are refused. */
  newestSignedAt: integer(),
  /** JSON of the verified `ReleaseStatement` that the feed shows; null without one. */
  release: textOrNull(),
  checkedAt: integer(),
  /** Why the last look failed; null if it did not. */
  problem: textOrNull(),
}).with({ mirror: null })
/** The last look at the feed, in one row. */
export type UpdateStateRow = RowOf<typeof UpdateState>
