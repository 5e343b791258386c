import { boolean, defineTable, integerOrNull, key, type RowOf } from './table.ts'

export const defineServerState = defineTable('server_state', {
  id: key<'server'>(),
  /** Set by a database trigger with the first user, and never reset. */
  hasHadUsers: boolean(),
  /** Last check of the whole database that found no damage. */
  integrityCheckedAt: integerOrNull(),
})
/** State of the whole server, in one row. */
export type ServerStateRow = RowOf<typeof defineServerState>
