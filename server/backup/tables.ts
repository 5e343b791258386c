import {
  check,
  defineTable,
  integer,
  integerOrNull,
  key,
  type RowOf,
  text,
  textOrNull,
} from '../engines/database/table.ts'

export const BackupState = defineTable('backup_state', {
  id: check(key<'server'>(), "id = 'server'"),
  /** Random id in the header of each copy. */
  serverId: text(),
  /** Public part of the recovery key; null without one. */
  publicKey: textOrNull(),
  keyMadeAt: integerOrNull(),
  /** Last proof that somebody has the recovery key. */
  keyProvedAt: integerOrNull(),
  /** Folder of the nightly copies; null turns them off. */
  folder: textOrNull(),
  /** Hour of the nightly copy, in the zone of the server. */
  hour: integer(2),
  keepDaily: integer(7),
  keepWeekly: integer(4),
  keepMonthly: integer(6),
  /** Newest copy. */
  lastAt: integerOrNull(),
  lastBytes: integerOrNull(),
  lastPath: textOrNull(),
  /** Last failure since the newest copy. */
  failedAt: integerOrNull(),
  failure: textOrNull(),
  /** Last rehearsal. */
  checkedAt: integerOrNull(),
  checkedPath: textOrNull(),
  checkProblem: textOrNull(),
  /** JSON: what the rehearsal found in the copy. */
  checkedCounts: textOrNull(),
  /** Last notice to administrators about an old copy. */
  noticedAt: integerOrNull(),
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
