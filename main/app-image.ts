/*
 * Updates of an AppImage, which is one file. A copy of each version is in versions/ of the folder "program"; the file
 * that people start is replaced by one rename when the new version is well. A process of the previous version is the
 * keeper.
 */
import { app } from 'electron'
import { spawn } from 'node:child_process'
import { copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  currentVersion,
  forgetPrevious,
  isSettledMessage,
  Keeper,
  previousVersion,
  readJournal,
  switchTo,
  systemClock,
  versionFolder,
  writeFlushed,
  type DesktopVersions,
  type Home,
  type Log,
  type ServerMessage,
  type UpdateHost,
} from '../server/app.ts'
import { appImage } from './config.ts'

/** Flag of a process without a window that finishes a pending update. */
export const keepFlag = '--keep-update'
/** Flag of a new version that a keeper has started, until the update is settled. */
export const trialFlag = '--on-trial'

const fileName = 'Farhand.AppImage'
const claimLimitMs = 20_000
const claimMs = 200

const home = (): Home => ({ folder: path.join(app.getPath('userData'), 'program') })
const fileOf = (folder: string) => path.join(folder, fileName)
/** Note with the path of the file that people start; versions that were started from versions/ read it. */
const programNote = () => path.join(home().folder, 'program')
const isOnTrial = () => process.argv.includes(trialFlag) && process.send !== undefined

/** File that people start; undefined unless this is an AppImage. */
export function startedFile(): string | undefined {
  const own = appImage()
  return own?.startsWith(home().folder + path.sep) ? readFileSync(programNote(), 'utf8') : own
}

/** Name of the running version. */
function ownName(): string {
  const own = appImage() ?? ''
  return own.startsWith(home().folder + path.sep) ? path.basename(path.dirname(own)) : `${app.getVersion()}.0`
}

/** Makes a hard link to a file, or a copy where links are not possible. */
function copyOf(from: string, to: string): void {
  rmSync(to, { force: true })
  try {
    linkSync(from, to)
  } catch {
    copyFileSync(from, to)
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }))
  return a !== undefined && b !== undefined && (a.ino === b.ino || (a.size === b.size && a.mtimeMs === b.mtimeMs))
}

/** Makes the running version the current one of `program`, with a copy for the way back. */
function keepRunning(): void {
  const program = startedFile() ?? ''
  const folder = versionFolder(home(), ownName())
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (!existsSync(fileOf(folder))) {
    copyOf(program, fileOf(folder))
  }
  writeFlushed(programNote(), program)
  switchTo(home(), ownName())
}

function startDetached(program: string, args: readonly string[]): void {
  spawn(program, args, { detached: true, stdio: 'ignore' }).unref()
}

/** Update host of an AppImage. */
export function appImageHost(): UpdateHost {
  mkdirSync(path.join(home().folder, 'versions'), { recursive: true, mode: 0o700 })
  // A person replaced the file: the version before the last update is not the one before the running version.
  if (previousVersion(home()) && !currentVersion(home()).startsWith(`${app.getVersion()}.0`)) {
    forgetPrevious(home())
  }
  const tell = (message: ServerMessage) => process.send?.(message, () => {})
  return {
    kind: 'versions',
    home: home(),
    name: ownName(),
    desktop: { fileName, program: startedFile() ?? '', keepRunning },
    handOver() {
      startDetached(appImage() ?? '', [keepFlag])
      app.quit()
    },
    reportBack: (count) => void tell({ farhand: 'agents-back', count }),
    onSettled: (settled) => void process.on('message', (message) => isSettledMessage(message) && settled()),
  }
}

/** Reports the start of a version on trial to its keeper, and ends this process when the keeper ends. */
export function reportStart(state: { state: string; url: string | null }): void {
  if (!isOnTrial()) {
    return
  }
  if (state.state !== 'running' || state.url === null) {
    app.exit(1)
    return
  }
  let isSettled = false
  process.on('message', (message) => (isSettled ||= isSettledMessage(message)))
  process.on('disconnect', () => isSettled || app.quit())
  process.on('SIGTERM', () => app.quit())
  process.send?.({ farhand: 'listening', urls: [state.url] } satisfies ServerMessage)
}

/** Whether an update waits for a keeper. */
export function isUpdatePending(): boolean {
  const journal = appImage() === undefined || isOnTrial() ? undefined : readJournal(home())
  return journal !== undefined && journal.step !== 'ended'
}

async function claim(): Promise<void> {
  for (let waited = 0; !app.requestSingleInstanceLock(); waited += claimMs) {
    if (waited >= claimLimitMs) {
      throw new Error('Another running Farhand continues the update.')
    }
    await wait(claimMs)
  }
}

const versions: DesktopVersions = {
  command: (folder) => [fileOf(folder), trialFlag],
  install(folder) {
    const program = readFileSync(programNote(), 'utf8')
    if (!isSame(fileOf(folder), program)) {
      copyOf(fileOf(folder), `${program}.new`)
      renameSync(`${program}.new`, program)
    }
  },
  claim,
  release: () => app.releaseSingleInstanceLock(),
}

/** Finishes a pending update, starts the current version after it, and ends this process. */
export async function keepUpdate(log: Log): Promise<void> {
  // Without the flag, a person started this process: a running instance, such as one on trial, shows its window.
  if (!process.argv.includes(keepFlag) && !app.requestSingleInstanceLock()) {
    app.quit()
    return
  }
  try {
    await claim()
    const own = versionFolder(home(), ownName())
    const keeper = new Keeper({
      home: home(),
      ownFolder: own,
      args: [],
      log,
      clock: systemClock,
      say: (line) => log.info({}, line),
      desktop: versions,
    })
    process.on('SIGTERM', () => keeper.stop())
    if (!(await keeper.settle())) {
      app.releaseSingleInstanceLock()
      startDetached(readFileSync(programNote(), 'utf8'), [])
    }
  } catch (error) {
    log.error({ err: error }, 'An update could not be continued.')
  }
  app.exit(0)
}
