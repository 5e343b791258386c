import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Actor } from '../ground/actor.ts'
import { BackupError } from './backup-error.ts'
import { readCopy } from './copy-file.ts'
import { rebuildDatabase, type Counts } from './rebuild-database.ts'
import { entryNames, scratchIn } from './snapshot.ts'
import type { App } from '../call/call.ts'
import type { BackupStateRow } from './tables.ts'
import { UnsealError } from '../engines/secrets/sealer.ts'
import { copiesOf, listCopies } from './copies.ts'
import { sealContext } from './make-backup.ts'
import { noteFolder } from './backup-folder.ts'
import { noteState, readState } from './backup-state.ts'

/** Opens a copy in a scratch folder with the key that the server sealed for itself, and rebuilds its database, as a restore does. */
async function open({ config, sealer }: App, serverId: string, path: string): Promise<Counts> {
  const folder = join(scratchIn(config.dataDirectory), 'rehearsal')
  try {
    await rm(folder, { recursive: true, force: true })
    const { header } = await readCopy(path, folder, ({ keyForServer }) =>
      sealer.unseal(keyForServer, sealContext(serverId)),
    )
    return await rebuildDatabase(join(folder, entryNames.database), path, header)
  } catch (error) {
    throw error instanceof UnsealError
      ? new BackupError(`The backup ${path} is not from this server, or its beginning was changed.`)
      : error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function newestCopy({ folder, serverId, lastPath }: BackupStateRow): Promise<string | undefined> {
  const [newest] = folder === null ? [] : copiesOf(serverId, await listCopies(folder))
  return newest?.path ?? lastPath ?? undefined
}

export interface Rehearsal {
  path: string
  /** Counted contents of the copy; undefined if the copy cannot be restored. */
  counts: Counts | undefined
  problem: string | undefined
}

/** Rehearses a restore of the newest copy and stores the result. Throws a `BackupError` without any copy. */
export const rehearse = (app: App, actor: Actor): Promise<Rehearsal> =>
  app.backupWork.run(async () => {
    const state = await readState(app)
    const found = await newestCopy(state).catch((error: unknown) => error)
    if (found === undefined) {
      throw new BackupError('There is no backup yet. Make one first.')
    }
    const path = typeof found === 'string' ? found : (state.folder ?? '')
    let result: Rehearsal
    try {
      if (typeof found !== 'string') {
        throw found
      }
      result = { path, counts: await open(app, state.serverId, path), problem: undefined }
    } catch (error) {
      if (!(error instanceof BackupError)) {
        throw error
      }
      result = { path, counts: undefined, problem: error.message }
    }
    const { counts, problem } = result
    await noteState(app, {
      checkedAt: app.clock.now(),
      checkedPath: path,
      checkProblem: problem ?? null,
      checkedCounts: counts ? JSON.stringify(counts) : null,
    })
    await noteFolder(app, state, problem === undefined ? null : path)
    await app.audit.record(actor, {
      kind: 'backup.checked',
      tenantId: null,
      ...(problem !== undefined && { outcome: 'failure' as const, details: { reason: problem } }),
    })
    if (problem !== undefined) {
      app.log.warn({ path, problem }, 'The newest backup cannot be restored.')
    }
    return result
  })
