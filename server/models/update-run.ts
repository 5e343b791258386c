import { boolean, defineTable, integer, integerOrNull, key, type RowOf, text, textOrNull } from './table.ts'

export const defineUpdateRun = defineTable('update_runs', {
  /** Id of the journal that the keeper writes. */
  id: key(),
  kind: text<'install' | 'back'>(),
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
})
/** An update of the appliance, or a way back, with its outcome. */
export type UpdateRunRow = RowOf<typeof defineUpdateRun>
