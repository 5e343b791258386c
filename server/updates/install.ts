import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, rename, rm, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { ReleaseFile } from '../../shared/release.ts'
import { BackupError } from '../backup/backup-error.ts'
import type { App, Call, OpenCall } from '../call/call.ts'
import { conflict } from '../ground/errors.ts'
import type { WayBack } from './present.ts'
import { download, openFeed } from './feed.ts'
import {
  currentVersion,
  previousVersion,
  readJournal,
  versionsIn,
  writeJournal,
  type Home,
  type InstalledVersion,
  type Journal,
} from '../engines/process/program-home.ts'
import { hostProblem, type VersionsHost } from './program-host.ts'
import { UpdateProblem } from './update-problem.ts'
import { unpack } from './unpack.ts'
import { backUpBeforeUpdate } from '../backup/schedule.ts'
import { offeredRelease, readUpdateState } from './check.ts'
import { recordStart, recordStop } from './runs.ts'

/** Free space that an update of the server needs, in sizes of its package: for the package, its contents, and a copy of the data. */
const usualRoomFactor = 4

const running = () => conflict('An update is running already.')

/** Journal of an update that the keeper has not settled yet. */
export function pendingJournal({ updateHost }: App): Journal | undefined {
  const journal = updateHost && readJournal(updateHost.home)
  return journal?.step === 'ended' ? undefined : journal
}

function newJournal(
  { app, actor }: Call | OpenCall,
  home: Home,
  journal: Pick<Journal, 'id' | 'kind' | 'to' | 'restoreFrom'>,
): Journal {
  return {
    ...journal,
    from: { name: currentVersion(home), version: app.version },
    dataDirectory: app.config.dataDirectory,
    online: [...app.fleet.onlineIds()],
    step: 'staged',
    attempts: 0,
    reason: null,
    outcome: null,
    startedAt: app.clock.now(),
    endedAt: null,
    actor,
  }
}

async function checkDiskSpace(folder: string, neededBytes: number) {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < neededBytes) {
    const mb = (value: number) => Math.ceil(value / 1024 ** 2)
    throw new UpdateProblem(
      `The disk of ${folder} has ${mb(bavail * bsize)} MB free, and the update needs ${mb(neededBytes)} MB. Make room and try again.`,
    )
  }
}

/** Downloads a file of the release into a folder; its hash was verified when this resolves. */
async function fetchFile(app: App, file: ReleaseFile, target: string): Promise<void> {
  const { updateProgress, config, clock } = app
  updateProgress.reach('download', 0)
  await download(openFeed(config.updates.feed ?? '', clock), file, target, {
    signal: updateProgress.signal,
    onProgress: (bytes) => updateProgress.reach('download', bytes),
  })
}

const Manifest = z.object({ version: z.string() })

/** Version that an unpacked folder claims; throws unless it is a whole program of this version. */
function checkProgram(folder: string, version: string) {
  const manifest = join(folder, 'package.json')
  const claimed = existsSync(manifest) ? Manifest.safeParse(JSON.parse(readFileSync(manifest, 'utf8'))).data : undefined
  if (!existsSync(join(folder, 'dist', 'server', 'main.js')) || !claimed || `${claimed.version}.0` !== version) {
    throw new UpdateProblem(
      `The package does not contain version ${version} of Farhand. Report this to the maker of the release.`,
    )
  }
}

interface Wanted {
  id: string
  version: string
  file: ReleaseFile
}

/** Downloads and unpacks a version beside the others. Nothing names it yet. */
async function prepareVersion(
  app: App,
  { home, desktop }: VersionsHost,
  { id, version, file }: Wanted,
): Promise<InstalledVersion> {
  const versions = versionsIn(home)
  const [archive, partial] = [join(versions, `.${id}.package`), join(versions, `.${id}`)]
  const name = `${version}-${id.slice(0, 8)}`
  try {
    await checkDiskSpace(versions, file.bytes * (desktop?.roomFactor ?? usualRoomFactor))
    await fetchFile(app, file, archive)
    app.updateProgress.reach('unpack')
    const { signal } = app.updateProgress
    if (desktop) {
      await mkdir(partial, { mode: 0o700 })
      await desktop.store(archive, partial, signal)
      await desktop.keepRunning()
    } else {
      await unpack(archive, `farhand/versions/${version}/`, partial, { signal })
      checkProgram(partial, version)
    }
    await rename(partial, join(versions, name))
    return { name, version }
  } finally {
    await rm(archive, { force: true })
    await rm(partial, { recursive: true, force: true })
  }
}

/** Prepares the update and hands over to the keeper. A failure before that changes nothing. */
async function carryOut(call: Call | OpenCall, wanted: Wanted, run: Parameters<typeof recordStop>[1]) {
  const { app } = call
  const { updateHost: host, updateProgress, log } = app
  try {
    await backUpBeforeUpdate(app)
    if (host) {
      const to = await prepareVersion(app, host, wanted)
      writeJournal(host.home, newJournal(call, host.home, { id: wanted.id, kind: 'install', to, restoreFrom: null }))
      updateProgress.reach('hand-over')
      log.info({ to: to.version }, 'The update is prepared: the server restarts.')
      host.handOver()
      return
    }
    updateProgress.end()
  } catch (error) {
    updateProgress.end()
    if (updateProgress.signal.aborted) {
      return
    }
    log.error({ err: error, to: wanted.version }, 'An update could not be prepared.')
    const reason =
      error instanceof UpdateProblem || error instanceof BackupError
        ? error.message
        : `${(error as Error).message}. Nothing was changed.`
    await recordStop(call, run, reason).catch((failure: unknown) =>
      log.error({ err: failure }, 'The end of an update could not be recorded.'),
    )
  }
}

/** Starts to install the offered version in the background. Throws 409 unless it is offered and can be installed. */
export async function startInstall(call: Call | OpenCall, version: string): Promise<void> {
  const { app } = call
  const offered = offeredRelease(app, await readUpdateState(app))
  if (offered?.release.version !== version) {
    throw conflict(`Version ${version} is not offered any more. Look at the feed again.`)
  }
  const { file, problem } = offered
  if (problem !== null || !file) {
    throw conflict(problem ?? 'The release has no package for this system.')
  }
  if (pendingJournal(app) || !app.updateProgress.begin(version, file.bytes)) {
    throw running()
  }
  const id = randomUUID()
  const run = { id, kind: 'install', fromVersion: app.version, toVersion: version, isDataRestored: false } as const
  try {
    await recordStart(call, run)
  } catch (error) {
    app.updateProgress.end()
    throw error
  }
  void carryOut(call, { id, version, file }, run)
}

/** Whether the previous version can read the present data: no migration has run since. */
async function keepsData({ database }: App, schema: readonly string[]): Promise<boolean> {
  const rows = await database.all<{ name: string }>('SELECT name FROM migrations ORDER BY position')
  return rows.length === schema.length && rows.every(({ name }, index) => name === schema[index])
}

/** The previous version, if this copy keeps one. */
export async function wayBack(app: App): Promise<WayBack | null> {
  const previous = app.updateHost && previousVersion(app.updateHost.home)
  if (!previous) {
    return null
  }
  const { name, version, replacedAt, schema, copy } = previous
  return { name, version, replacedAt, restoreFrom: (await keepsData(app, schema)) ? null : copy }
}

/** Hands over to the keeper to go back to the previous version. Throws 409 without a previous version. */
export async function goBack(call: Call | OpenCall): Promise<void> {
  const { app } = call
  const { updateHost: host } = app
  const back = await wayBack(app)
  if (!host || !back) {
    throw conflict(hostProblem(host) ?? 'No previous version is kept, so there is none to go back to.')
  }
  if (pendingJournal(app) || !app.updateProgress.begin(back.version, 0)) {
    throw running()
  }
  const { name, version, restoreFrom } = back
  const id = randomUUID()
  const isDataRestored = restoreFrom !== null
  try {
    await host.desktop?.keepRunning().catch((error: unknown) => {
      throw error instanceof UpdateProblem ? conflict(error.message) : error
    })
    await recordStart(call, { id, kind: 'back', fromVersion: app.version, toVersion: version, isDataRestored })
    writeJournal(host.home, newJournal(call, host.home, { id, kind: 'back', to: { name, version }, restoreFrom }))
  } catch (error) {
    app.updateProgress.end()
    throw error
  }
  app.updateProgress.reach('hand-over')
  host.handOver()
}
