import { isOnDiskOfData } from '../backup/backup-folder.ts'
import { isOld, lacking, readState } from '../backup/backup-state.ts'
import { length, ok, problem, time, warning, type HealthCheck } from './check.ts'

const backup: HealthCheck = {
  id: 'backup',
  title: 'Backup',
  async run(app) {
    const now = app.clock.now()
    const state = await readState(app)
    const { folder, lastAt, failure, checkedAt, checkProblem } = state
    if (lacking(state) !== undefined || folder === null) {
      return warning(
        'No nightly backups are made',
        'Make a recovery key and choose a folder on the Backup page. Without a backup, a lost disk means enrolling every device again.',
      )
    }
    const newest = lastAt === null ? 'None yet' : `The newest is ${length(now - lastAt)} old`
    if (failure !== null || isOld(state, now)) {
      return problem(
        `${newest}${failure === null ? '' : `; the last one failed: ${failure}`}`,
        'The Backup page says more.',
        lastAt ?? undefined,
      )
    }
    if (checkProblem !== null) {
      return problem(`${newest}; it cannot be restored: ${checkProblem}`, 'Make another one on the Backup page.')
    }
    const summary = `${newest}${checkedAt === null ? '' : `; restorable, checked ${time(checkedAt)}`}`
    return (await isOnDiskOfData(app, folder))
      ? warning(
          `${summary}; on the disk of the data`,
          'A lost disk takes both. Choose a folder on another disk or a network share on the Backup page.',
        )
      : ok(summary)
  },
}

export const backupChecks: readonly HealthCheck[] = [backup]
