import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { App } from '../call/call.ts'
import { installation } from '../engines/process/installation.ts'
import type { BackupStateRow } from './tables.ts'
import { readFileIfThere, replaceFile } from '../ground/durable-file.ts'
import { UnsealError } from '../engines/secrets/sealer.ts'
import { LostSecretError } from '../engines/secrets/store.ts'
import { DataError } from '../ground/start-error.ts'
import { copiesOf, listCopies } from './copies.ts'
import { noteState, readState } from './backup-state.ts'

/** Location of the copies, stored beside the database for a start that cannot read the database. */
const Note = z.object({ folder: z.string(), serverId: z.string(), unusable: z.string().nullable() })

const noteIn = (directory: string) => join(directory, 'backup-folder.json')

/** Notes the folder of the copies, and the newest copy if a rehearsal could not restore it. Logs its failures. */
export async function noteFolder({ config, log }: App, { folder, serverId }: BackupStateRow, unusable: string | null) {
  if (folder !== null) {
    const note = { folder, serverId, unusable } satisfies z.input<typeof Note>
    await replaceFile(noteIn(config.dataDirectory), `${JSON.stringify(note)}\n`).catch((error: unknown) =>
      log.warn({ err: error }, 'The folder of the backups could not be noted beside the database.'),
    )
  }
}

/**
 * Follows what is in the folder of the copies: after a restore the database knows no copy that was made after it, and no
 * note lies beside it. Logs a folder that cannot be read.
 */
export async function followFolder(app: App): Promise<void> {
  const state = await readState(app)
  const { folder, serverId, lastAt } = state
  if (folder === null || ((lastAt ?? 0) > 0 && existsSync(noteIn(app.config.dataDirectory)))) {
    return
  }
  try {
    const [newest] = copiesOf(serverId, await listCopies(folder))
    if (newest && newest.at > (lastAt ?? 0)) {
      await noteState(app, { lastAt: newest.at, lastBytes: newest.bytes, lastPath: newest.path })
    }
    await noteFolder(app, state, null)
  } catch (error) {
    app.log.warn({ err: error }, 'The folder of the backups could not be read.')
  }
}

/** Whether the copies lie on the disk of the data, and would be lost with it. False for a folder that cannot be read. */
export async function isOnDiskOfData({ config }: Pick<App, 'config'>, folder: string | null): Promise<boolean> {
  if (folder === null) {
    return false
  }
  const [copies, data] = await Promise.all(
    [folder, config.dataDirectory].map((path) => stat(path).catch(() => undefined)),
  )
  return copies !== undefined && copies.dev === data?.dev
}

async function newestUsableCopy(directory: string) {
  const text = await readFileIfThere(noteIn(directory))
  if (text === undefined) {
    return undefined
  }
  const { folder, serverId, unusable } = Note.parse(JSON.parse(text))
  return copiesOf(serverId, await listCopies(folder)).find(({ path }) => path !== unusable)
}

/** Errors of a start after which a backup can be restored. */
const kinds = [DataError, LostSecretError, UnsealError]

/** Adds the newest backup and the command that restores it to the error of a start whose data is damaged. */
export async function withNewestBackup(error: unknown, directory: string): Promise<unknown> {
  if (!kinds.some((kind) => error instanceof kind)) {
    return error
  }
  const newest = await newestUsableCopy(directory).catch(() => undefined)
  const [found, file] = newest
    ? [`The newest backup was made on ${newest.header.createdAt.slice(0, 10)}. `, `"${newest.path}"`]
    : ['', 'FILE']
  const { message } = error as Error
  const problem =
    error instanceof UnsealError ? `The secrets of this data folder do not open its data: ${message}` : message
  return new DataError(
    `${problem} ${found}Run this command to restore a backup with its recovery key; the present data is moved aside: ${installation.program} restore ${file}`,
    { cause: error },
  )
}
