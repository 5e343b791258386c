import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { IncomingForm } from '../../shared/contract/transfer.ts'
import { explainAt } from './backup-error.ts'
import { isReplacementPlanned } from './replacement.ts'
import { stageRestore } from './stage-restore.ts'
import { scratchIn } from './snapshot.ts'
import type { App, OpenRouteCall } from '../call/call.ts'
import { lockFolder } from '../engines/database/folder.ts'
import { AppError, badRequest, conflict } from '../ground/errors.ts'
import { StartError } from '../ground/start-error.ts'

interface Wanted {
  path: string
  recoveryKey: string
}

/** Converts a `StartError` into a 409 with the same message. */
export const refused = (error: unknown): unknown => (error instanceof StartError ? conflict(error.message) : error)

/** Runs work while the data folder is locked; a server that serves its data has locked the folder already. */
async function locked<T>({ restoreOnly, log }: App, work: () => Promise<T>): Promise<T> {
  if (!restoreOnly) {
    return work()
  }
  const { unlock } = await lockFolder(restoreOnly.directory, log, 0)
  try {
    return await work()
  } finally {
    await unlock()
  }
}

/**
 * Prepares the data of a copy, and restarts the server with it once the response is sent. The running server keeps its
 * data until then.
 */
export async function restoreCopy(call: OpenRouteCall, { path, recoveryKey }: Wanted) {
  const { app, actor } = call
  const { database, clock, log, version, restoreOnly } = app
  const directory = restoreOnly?.directory ?? app.config.dataDirectory
  if (!isAbsolute(path)) {
    throw badRequest(`${path.slice(0, 200)} is not a full path. Name the file from its root.`)
  }
  return app.backupWork.run(async () => {
    if (isReplacementPlanned(directory)) {
      throw conflict('A restore waits for the restart of this server. Restart it.')
    }
    const migrations = await database.all<{ name: string }>('SELECT name FROM migrations')
    const { settings: _, ...restored } = await locked(app, () =>
      stageRestore({
        path,
        recoveryKey,
        directory,
        migrations: migrations.map(({ name }) => name),
        appVersion: version,
        secretStore: restoreOnly ? 'auto' : app.secretStore,
        log,
        now: clock.now(),
        actor,
      }),
    ).catch((error: unknown) => {
      throw refused(error)
    })
    const { createdAt, computer } = restored
    log.warn({ actor, createdAt, computer }, 'A backup will replace the data at the restart.')
    const { restart } = app
    if (restart) {
      const answered = call.closed()
      if (answered.aborted) {
        restart()
      } else {
        answered.addEventListener('abort', restart, { once: true })
      }
    }
    return { ...restored, restarts: restart !== undefined }
  })
}

/** Only a server without accounts may be restored by a visitor (T01). */
function checkUnclaimed({ app }: OpenRouteCall): void {
  if (!app.setup.isUnclaimed) {
    throw new AppError(404, 'This server has accounts. Sign in as an administrator to restore a backup.')
  }
}

export function restoreFirst(
  call: OpenRouteCall,
  { setupCode, ...wanted }: Wanted & { setupCode?: string | undefined },
) {
  checkUnclaimed(call)
  call.app.setup.check(call, setupCode)
  return restoreCopy(call, wanted)
}

/** Restores an uploaded copy, which is spooled in the data folder meanwhile. */
export async function restoreUpload(
  call: OpenRouteCall,
  form: IncomingForm<{ recoveryKey: string; setupCode: string }>,
) {
  // Strangers cannot make a server with accounts read a form, which may be long and slow.
  checkUnclaimed(call)
  const { fields, bytes } = await form.open({ maxBytes: undefined })
  try {
    if (!fields) {
      throw badRequest('Send the recovery key and the setup code before the file.')
    }
    checkUnclaimed(call)
    call.app.setup.check(call, fields.setupCode || undefined)
  } catch (error) {
    form.cancel(error as Error)
    throw error
  }
  const folder = `${scratchIn(call.app.restoreOnly?.directory ?? call.app.config.dataDirectory)}-upload-${randomUUID()}`
  const path = join(folder, 'uploaded.farhand-backup')
  try {
    await mkdir(folder, { mode: 0o700 })
    {
      await using file = await open(path, 'wx', 0o600)
      await file.writeFile(bytes)
    }
    return await restoreCopy(call, { path, recoveryKey: fields.recoveryKey })
  } catch (error) {
    throw refused(explainAt('The data folder', error))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
