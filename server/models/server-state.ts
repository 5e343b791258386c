import { boolean, defineTable, integerOrNull, key } from './table.ts'

/** State of the whole server, in one row. */
export const defineServerState = defineTable('server_state', {
  id: key<'server'>(),
  /** Set by a database trigger with the first user, and never reset. */
  hasHadUsers: boolean(),
  /** Last check of the whole database that found no damage. */
  integrityCheckedAt: integerOrNull(),
})
