import type { BackupCountsDto } from '../../shared/dtos/backup.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { BackupStateRow } from './tables.ts'

interface Facts {
  fingerprint: string | null
  isOld: boolean
  isOnDiskOfData: boolean
}

export const presentBackup = (row: BackupStateRow, { fingerprint, isOld, isOnDiskOfData }: Facts) => ({
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
          madeAt: instant(row.keyMadeAt),
          provedAt: instantOrNull(row.keyProvedAt),
        },
  newest:
    row.lastAt === null || row.lastBytes === null || row.lastPath === null
      ? null
      : { at: instant(row.lastAt), bytes: row.lastBytes, path: row.lastPath },
  isOld,
  isOnDiskOfData,
  failure: row.failedAt === null || row.failure === null ? null : { at: instant(row.failedAt), reason: row.failure },
  rehearsal:
    row.checkedAt === null || row.checkedPath === null
      ? null
      : {
          at: instant(row.checkedAt),
          path: row.checkedPath,
          problem: row.checkProblem,
          counts: row.checkedCounts === null ? null : (JSON.parse(row.checkedCounts) as BackupCountsDto),
        },
})
