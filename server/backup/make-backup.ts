import { randomBytes } from 'node:crypto'
import { existsSync, statSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { hourMs } from '../../shared/durations.ts'
import { instant } from '../ground/instant.ts'
import type { Actor } from '../ground/actor.ts'
import { BackupError, explainAt } from './backup-error.ts'
import { wrapKey } from './cipher.ts'
import { measure, partialEnding, writeCopy } from './copy-file.ts'
import type { Header } from './header.ts'
import { outdated } from './retention.ts'
import { takeSnapshot } from './snapshot.ts'
import type { App } from '../call/call.ts'
import type { BackupStateRow } from './tables.ts'
import { readSecrets } from '../engines/secrets/open.ts'
import { StartError } from '../ground/start-error.ts'
import { copiesOf, copyEnding, listCopies } from './copies.ts'
import { noteFolder } from './backup-folder.ts'
import { keyFingerprint, lacking, noteState, readState } from './backup-state.ts'

export interface MadeCopy {
  path: string
  bytes: number
  at: number
}

/** Context for sealing the key of a copy. */
export const sealContext = (serverId: string) => `backups/${serverId}`

const namePrefix = 'farhand-'

/** Name of a copy: sorts by time, and two of one second differ. */
function nameOfCopy(at: number): string {
  const computer = hostname()
    .replaceAll(/[^\w-]/g, '')
    .slice(0, 40)
  const time = new Date(at).toISOString().slice(0, 19).replaceAll(':', '')
  return `${namePrefix}${computer}-${time}Z-${randomBytes(2).toString('hex')}${copyEnding}`
}

/** File for a copy: in the folder of the settings, or at a target that names a folder or a new file. */
function pathFor(folder: string | null, target: string | undefined, at: number): string {
  if (target === undefined) {
    if (folder === null) {
      throw new BackupError('There is no backup folder yet. Choose one on the Backup page, or name a file.')
    }
    return join(folder, nameOfCopy(at))
  }
  if (!isAbsolute(target)) {
    throw new BackupError(`${target} is not a full path. Name the folder from its root.`)
  }
  const found = statSync(target, { throwIfNoEntry: false })
  if (found?.isDirectory()) {
    return join(target, nameOfCopy(at))
  }
  if (found) {
    throw new BackupError(`${target} exists already. Choose another name: a backup never replaces a file.`)
  }
  return target
}

async function write(app: App, state: BackupStateRow, target: string | undefined): Promise<MadeCopy> {
  const { config, clock, sealer, log } = app
  const at = clock.now()
  const path = pathFor(state.folder, target, at)
  const problem = lacking(state)
  if (problem !== undefined || state.publicKey === null) {
    throw new BackupError(problem ?? '')
  }
  if (!existsSync(dirname(path))) {
    throw explainAt(`The folder ${dirname(path)}`, Object.assign(new Error(), { code: 'ENOENT' }))
  }
  await removePartial(dirname(path), at)
  const secrets = await readSecrets(config.dataDirectory, log)
  const snapshot = await takeSnapshot(config.dataDirectory, app.database, { secrets, settings: config.givenTexts })
  try {
    const fileKey = randomBytes(32)
    const { sender, wrapped } = wrapKey(fileKey, state.publicKey)
    const { contentBytes } = await measure(snapshot.entries)
    const header: Header = {
      createdAt: instant(at),
      appVersion: app.version,
      computer: hostname(),
      serverId: state.serverId,
      recoveryKey: keyFingerprint(state)!,
      schema: snapshot.schema,
      contentBytes,
      sender,
      keyForRecovery: wrapped,
      keyForServer: sealer.seal(fileKey, sealContext(state.serverId)),
    }
    return { path, bytes: await writeCopy(path, header, snapshot.entries, fileKey), at }
  } finally {
    await snapshot.remove()
  }
}

/** Time without a write after which a partial file counts as left by a killed process. */
const abandonedMs = hourMs

/** Removes partial files that a killed process left. Another server may be writing its copy into the same folder. */
async function removePartial(folder: string, now: number): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith(namePrefix) && name.endsWith(copyEnding + partialEnding)) {
      const path = join(folder, name)
      const file = statSync(path, { throwIfNoEntry: false })
      if (file && now - file.mtimeMs > abandonedMs) {
        await rm(path, { force: true })
      }
    }
  }
}

/**
 * Removes copies of this server that the settings do not keep. Never removes the copy just made, whatever the clock
 * says, nor files that people named.
 */
async function removeOutdated(app: App, state: BackupStateRow, made: MadeCopy): Promise<void> {
  const { keepDaily: daily, keepWeekly: weekly, keepMonthly: monthly } = state
  const all = copiesOf(state.serverId, await listCopies(dirname(made.path)))
  const own = all.filter(({ name }) => name.startsWith(namePrefix))
  const removed = outdated(own, { daily, weekly, monthly }).filter(({ path }) => path !== made.path)
  for (const { path } of removed) {
    await rm(path, { force: true })
    app.log.info({ path }, 'Removed an old backup.')
  }
}

/**
 * Makes a copy, by default in the folder of the settings, whose old copies are removed afterwards. One runs at a time.
 * Throws a `BackupError`, which the state names, too.
 */
export const makeBackup = (app: App, actor: Actor, target?: string): Promise<MadeCopy> =>
  app.backupWork.run(async () => {
    const state = await readState(app)
    try {
      const made = await write(app, state, target)
      const isInFolder = dirname(made.path) === state.folder
      if (isInFolder || state.folder === null) {
        const newest = { lastAt: made.at, lastBytes: made.bytes, lastPath: made.path }
        await noteState(app, { ...newest, failedAt: null, failure: null })
      }
      await app.audit.record(actor, {
        kind: 'backup.made',
        tenantId: null,
        target: { kind: 'file', name: basename(made.path) },
        details: { bytes: made.bytes },
      })
      app.log.info({ path: made.path, bytes: made.bytes }, 'Made a backup.')
      if (isInFolder) {
        await noteFolder(app, state, null)
        await removeOutdated(app, state, made)
      }
      return made
    } catch (error) {
      const failure =
        error instanceof StartError ? error.message : 'Something unexpected went wrong; the log says more.'
      if (target === undefined) {
        await noteState(app, { failedAt: app.clock.now(), failure })
      }
      await app.audit.record(actor, {
        kind: 'backup.made',
        outcome: 'failure',
        tenantId: null,
        details: { reason: failure },
      })
      throw error
    }
  })
