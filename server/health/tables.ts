import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

/** `vanished`: nobody noted the end, as after a power cut or a kill. `restored`: the next run began with this run's backup. */
export type RunEnding = 'stopped' | 'crashed' | 'vanished' | 'restored'

export const ServerRun = defineTable('server_runs', {
  startedAt: t.integerKey(),
  /** Updated every minute and at an orderly shutdown. */
  aliveUntil: t.integer(),
  /** Null while the server runs. */
  endedAt: t.integerOrNull(),
  /** Null while the server runs. */
  ending: t.textOrNull<RunEnding>(),
  reason: t.textOrNull(),
  /** Found at the start: the write-ahead log of a running server was not beside the database. */
  isLogMissing: t.boolean(false),
  /** JSON of the newest times in which the computer slept. */
  sleeps: t.text('[]'),
}).with({ mirror: null })
/** A run of the server, as far as recorded. */
export type ServerRunRow = RowOf<typeof ServerRun>

/** Servers that share the database; none where one server has it for itself. Times are of the clock of the database. */
export const Server = defineTable('servers', {
  /** New with each start. */
  id: t.key(),
  /** Name of its computer. */
  name: t.text(),
  /** Address at which the others reach it. */
  address: t.text(),
  version: t.text(),
  startedAt: t.integer(),
  /** Renewed while it runs. */
  aliveUntil: t.integer(),
  /** Until when it does the work that one server does for all; 0 without it. */
  worksUntil: t.integer(),
  /** How far its clock is ahead of that of the database. */
  clockAheadMs: t.integer(0),
}).with({ mirror: null })
export type ServerRow = RowOf<typeof Server>

/** State of the whole server, in one row. */
export const ServerState = defineTable('server_state', {
  id: t.key<'server'>(),
  /** Set by a database trigger with the first user, and never reset. */
  hasHadUsers: t.boolean(),
  /** Last check of the whole database that found no damage. */
  integrityCheckedAt: t.integerOrNull(),
  /** Time by which old rows are removed; null before the first run. */
  retentionAt: t.integerOrNull(),
  /** Running time for which the clock has been doubted. */
  doubtedMs: t.integer(0),
}).with({ mirror: null, statements: ["INSERT INTO server_state (id, hasHadUsers) VALUES ('server', FALSE)"] })
