import { defineTable, type RowOf } from '../engines/database/table.ts'
import * as t from '../engines/database/table.ts'

export const BackupState = defineTable('backup_state', {
  id: t.check(t.key<'server'>(), "id = 'server'"),
  /** Random id in the header of each copy. */
  serverId: t.text(),
  /** Public part of the recovery key; null without one. */
  publicKey: t.textOrNull(),
  keyMadeAt: t.integerOrNull(),
  /** Last proof that somebody has the recovery key. */
  keyProvedAt: t.integerOrNull(),
  /** Folder of the nightly copies; null turns them off. */
  folder: t.textOrNull(),
  /** Hour of the nightly copy, in the zone of the server. */
  hour: t.integer(2),
  keepDaily: t.integer(7),
  keepWeekly: t.integer(4),
  keepMonthly: t.integer(6),
  /** Newest copy. */
  lastAt: t.integerOrNull(),
  lastBytes: t.integerOrNull(),
  lastPath: t.textOrNull(),
  /** Last failure since the newest copy. */
  failedAt: t.integerOrNull(),
  failure: t.textOrNull(),
  /** Last rehearsal. */
  checkedAt: t.integerOrNull(),
  checkedPath: t.textOrNull(),
  checkProblem: t.textOrNull(),
  /** JSON: what the rehearsal found in the copy. */
  checkedCounts: t.textOrNull(),
  /** Last notice to administrators about an old copy. */
  noticedAt: t.integerOrNull(),
}).with({
  mirror: null,
  statements: [
    {
      sqlite: ["INSERT INTO backup_state (id, serverId) VALUES ('server', lower(hex(randomblob(16))))"],
      postgres: [
        "INSERT INTO backup_state (id, serverId) VALUES ('server', replace(gen_random_uuid()::text, '-', ''))",
      ],
    },
  ],
})
/** Settings and state of backups, in one row. Times in milliseconds since 1970. */
export type BackupStateRow = RowOf<typeof BackupState>
