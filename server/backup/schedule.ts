import { dayMs, hourMs } from '../../shared/durations.ts'
import { systemCall, type App, type OpenCall } from '../call/call.ts'
import type { BackupStateRow } from './tables.ts'
import { StartError } from '../ground/start-error.ts'
import { serverAdministrators } from '../assignments/last-administrator.ts'
import { notifyUsers } from '../people/notices.ts'
import { makeBackup, type MadeCopy } from './make-backup.ts'
import { rehearse } from './rehearse.ts'
import { followFolder } from './backup-folder.ts'
import { isOld, oldAfterMs, readState, stateRow } from './backup-state.ts'

const rehearsalMs = 7 * dayMs
/** Delay after a failed copy. */
const retryMs = hourMs

/** Time of the last night, in the zone of the server. */
function lastNight(now: number, hour: number): number {
  const night = new Date(now)
  night.setHours(hour, 0, 0, 0)
  if (night.getTime() > now) {
    night.setDate(night.getDate() - 1)
  }
  return night.getTime()
}

/** Each week, and once there is a newer copy than the one that failed. */
const isRehearsalDue = ({ lastAt, checkedAt, checkProblem }: BackupStateRow, now: number) =>
  lastAt !== null &&
  (checkedAt === null || now - checkedAt >= rehearsalMs || (checkProblem !== null && lastAt > checkedAt))

const isDue = ({ folder, publicKey, hour, lastAt, failedAt }: BackupStateRow, now: number) =>
  folder !== null &&
  publicKey !== null &&
  (lastAt === null || lastAt < lastNight(now, hour)) &&
  (failedAt === null || now - failedAt >= retryMs || now < failedAt)

/** Notifies administrators of an old copy, once in two days. */
async function notify(app: App): Promise<void> {
  const now = app.clock.now()
  await app.database.write(async (transaction) => {
    const administrators = await serverAdministrators(app, transaction)
    const by = { app, principal: { id: null, name: app.config.branding.brandName } }
    await notifyUsers(by, transaction, administrators, { kind: 'backup-old', subject: null })
    await app.models.BackupState.update({ noticedAt: now }, { ...stateRow, transaction })
  })
}

/** Makes the copy of a night, also later if the server was off, rehearses a restore each week, and tells what fails. */
export async function keepBackups({ app, actor }: OpenCall): Promise<void> {
  const now = app.clock.now()
  await followFolder(app)
  const before = await readState(app)
  if (isDue(before, now)) {
    await makeBackup(app, actor).catch((error: unknown) => {
      if (!(error instanceof StartError)) {
        throw error
      }
      app.log.warn({ problem: error.message }, 'The nightly backup failed; it is tried again in an hour.')
    })
  }
  const state = await readState(app)
  if (isRehearsalDue(state, now)) {
    await rehearse(app, actor)
  }
  if (isOld(state, now) && (state.noticedAt === null || now - state.noticedAt >= oldAfterMs)) {
    await notify(app)
  }
}

/**
 * Copy before an update replaces the program. Returns undefined where backups are not set up; throws a `BackupError` if
 * the copy fails, and then the update must not begin.
 */
export async function backUpBeforeUpdate(app: App): Promise<MadeCopy | undefined> {
  const { folder, publicKey } = await readState(app)
  return folder === null || publicKey === null ? undefined : makeBackup(app, systemCall(app).actor)
}
