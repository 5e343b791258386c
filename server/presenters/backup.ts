import type { BackupStateRow } from '../models/backup-state.ts'

const timeOf = (at: number) => new Date(at).toISOString()

interface Facts {
  fingerprint: string | null
  isOld: boolean
}

interface Counts {
  people: number
  devices: number
  organizations: number
  events: number
}

export const presentBackup = (row: BackupStateRow, { fingerprint, isOld }: Facts) => ({
  settings: {
    folder: row.folder,
    hour: row.hour,
    keepDaily: row.keepDaily,
    keepWeekly: row.keepWeekly,
    keepMonthly: row.keepMonthly,
  },
  recoveryKey:
    fingerprint === null || row.keyMadeAt === null
      ? null
      : {
          fingerprint,
          madeAt: timeOf(row.keyMadeAt),
          provedAt: row.keyProvedAt === null ? null : timeOf(row.keyProvedAt),
        },
  newest:
    row.lastAt === null || row.lastBytes === null || row.lastPath === null
      ? null
      : { at: timeOf(row.lastAt), bytes: row.lastBytes, path: row.lastPath },
  isOld,
  failure: row.failedAt === null || row.failure === null ? null : { at: timeOf(row.failedAt), reason: row.failure },
  rehearsal:
    row.checkedAt === null || row.checkedPath === null
      ? null
      : {
          at: timeOf(row.checkedAt),
          path: row.checkedPath,
          problem: row.checkProblem,
          counts: row.checkedCounts === null ? null : (JSON.parse(row.checkedCounts) as Counts),
        },
})
