import { join } from 'node:path'
import { z } from 'zod'
import type { App } from '../../call.ts'
import { installation } from '../../installation.ts'
import type { BackupStateRow } from '../../models/backup-state.ts'
import { readFileIfThere, replaceFile } from '../../durable-file.ts'
import { UnsealError } from '../../secrets/sealer.ts'
import { LostSecretError } from '../../secrets/store.ts'
import { DataError } from '../../start-error.ts'
import { copiesOf, listCopies } from './copies.ts'

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
export async function withWayBack(error: unknown, directory: string): Promise<unknown> {
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
