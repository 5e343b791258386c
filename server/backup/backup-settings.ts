import { mkdir, open, rm } from 'node:fs/promises'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { randomUUID } from 'node:crypto'
import { BackupError, explainAt } from './backup-error.ts'
import type { Call } from '../call/call.ts'
import type { BackupStateRow } from './tables.ts'
import { stateRow } from './backup-state.ts'

export type BackupSettings = Pick<BackupStateRow, 'folder' | 'hour' | 'keepDaily' | 'keepWeekly' | 'keepMonthly'>

/** Creates the last part of a folder's path and writes a file there. Throws a `BackupError` with the reason. */
async function checkFolder(folder: string, dataDirectory: string): Promise<void> {
  if (!isAbsolute(folder)) {
    throw new BackupError(`${folder} is not a full path. Name the folder from its root.`)
  }
  const fromData = relative(resolve(dataDirectory), resolve(folder))
  if (fromData === '' || !(fromData.startsWith('..') || isAbsolute(fromData))) {
    throw new BackupError(
      'The backup folder lies in the data folder, and would be lost with it. Choose another disk or a network share.',
    )
  }
  const probe = join(folder, `.farhand-${randomUUID()}`)
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
        throw error
      }
    })
    await (await open(probe, 'wx', 0o600)).close()
  } catch (error) {
    throw explainAt(`The folder ${folder}`, error)
  } finally {
    await rm(probe, { force: true }).catch(() => {})
  }
}

/** Stores folder and schedule, once the folder is known to be writable. Throws a `BackupError` otherwise. */
export async function changeBackupSettings({ app, actor }: Call, settings: BackupSettings): Promise<void> {
  const { folder } = settings
  if (folder !== null) {
    await checkFolder(folder, app.config.dataDirectory)
  }
  await app.database.write(async (transaction) => {
    const change = { ...settings, folder: folder === null ? null : resolve(folder), failedAt: null, failure: null }
    await app.models.BackupState.update(change, { ...stateRow, transaction })
    await app.audit.recordIn(transaction, actor, [
      {
        kind: 'backup.settings-changed',
        tenantId: null,
        details: {
          folder: folder ?? '',
          hour: settings.hour,
          daily: settings.keepDaily,
          weekly: settings.keepWeekly,
          monthly: settings.keepMonthly,
        },
      },
    ])
  })
}
