/*
 * Updates of the desktop program. A copy of each version is in versions/ of the folder "program". A process of the
 * previous version, which runs from its copy, is the keeper: it replaces the installed program and tries the new version.
 */
import { app } from 'electron'
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  currentVersion,
  debianProgram,
  forgetPrevious,
  isDebianPackage,
  isSettledMessage,
  Keeper,
  placedProgram,
  previousVersion,
  readJournal,
  switchTo,
  systemClock,
  versionFolder,
  versionOfPath,
  writeFlushed,
  type Home,
  type Log,
  type ProgramKind,
  type ServerMessage,
  type UpdateHost,
} from '../server/app.ts'
import { appImage, dpkgFolder, searchPath } from './config.ts'
import { system } from './system.ts'

/** Flag of a process without a window that finishes a pending update. */
export const keepFlag = '--keep-update'
/** Flag of a new version that a keeper has started, until the update is settled. */
export const trialFlag = '--on-trial'

const debianName = 'farhand'
const claimLimitMs = 20_000
const claimMs = 200

const home = (): Home => ({ folder: path.join(system.versionsRoot(), 'program') })
/** Note with the file or folder that an update replaces; versions that were started from versions/ read it. */
const entryNote = () => path.join(home().folder, 'program')
/** Whether a keeper decides about this process. */
export const isOnTrial = (): boolean => process.argv.includes(trialFlag) && process.connected
/** Program file of this process. */
const ownProgram = () => appImage() ?? process.execPath
const ownVersion = () => `${app.getVersion()}.0`
const versionOf = (name: string) => name.split('-')[0]

/** Entry that an update replaces: of this process, or the noted one if this process runs from a copy. */
const entryOr = (own: string) =>
  versionOfPath(home(), ownProgram()) === undefined ? own : readFileSync(entryNote(), 'utf8')

/** How this copy is replaced; undefined for a checkout, and for a program that was only unpacked. */
function programKind(): (ProgramKind & { entry: string }) | undefined {
  const program = process.execPath
  const placed = (own: string, stored: string, executable: string, packageEnding: string) => {
    const entry = entryOr(own)
    return { entry, ...placedProgram({ home: home(), entry, stored, executable, packageEnding }) }
  }
  if (!app.isPackaged) {
    return undefined
  }
  const replaced = system.replacedFolder(program)
  if (replaced) {
    return placed(replaced.entry, replaced.stored, path.relative(replaced.entry, program), '.tar.gz')
  }
  const image = appImage()
  if (image !== undefined) {
    return placed(image, 'Farhand.AppImage', '', '.AppImage')
  }
  if (!isDebianPackage(debianName, dpkgFolder())) {
    return undefined
  }
  const entry = entryOr(program)
  const options = { name: debianName, program: entry, administration: dpkgFolder(), searchPath: searchPath() }
  return { entry, ...debianProgram(options) }
}

/** Program that people start. */
export const startedProgram = (): string => programKind()?.program ?? process.execPath

function ownName(): string {
  const current = existsSync(path.join(home().folder, 'current')) ? currentVersion(home()) : undefined
  const known = [isOnTrial() ? readJournal(home())?.to.name : undefined, current]
  return (
    versionOfPath(home(), ownProgram()) ??
    known.find((name) => name !== undefined && versionOf(name) === ownVersion()) ??
    ownVersion()
  )
}

function startDetached([program, ...args]: readonly [string, ...string[]]): void {
  spawn(program, args, { detached: true, stdio: 'ignore' }).unref()
}

const startKeeper = (kind: ProgramKind, name: string) => {
  const [program, ...args] = kind.keeper(versionFolder(home(), name))
  startDetached([program, ...args, keepFlag])
}

export function desktopHost(): UpdateHost {
  const kind = programKind()
  if (kind === undefined) {
    return undefined
  }
  mkdirSync(path.join(home().folder, 'versions'), { recursive: true, mode: 0o700 })
  // A person installed another version: the version before the last update is not the one before the running version.
  if (previousVersion(home()) && versionOf(currentVersion(home())) !== ownVersion()) {
    forgetPrevious(home())
  }
  const tell = (message: ServerMessage) => process.send?.(message, () => {})
  return {
    home: home(),
    name: ownName(),
    desktop: {
      packageEnding: kind.packageEnding,
      roomFactor: kind.roomFactor,
      problem: kind.problem,
      store: kind.store,
      async keepRunning() {
        const folder = versionFolder(home(), ownName())
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        await kind.keep(folder)
        writeFlushed(entryNote(), kind.entry)
        switchTo(home(), ownName())
      },
    },
    handOver() {
      startKeeper(kind, ownName())
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
  const journal = programKind() === undefined || isOnTrial() ? undefined : readJournal(home())
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

/** Carries the pending update out, and starts the installed program unless the new version runs already. */
async function carryOut(kind: ProgramKind, log: Log): Promise<void> {
  await claim()
  const keeper = new Keeper({
    home: home(),
    ownFolder: versionFolder(home(), ownName()),
    args: [],
    log,
    clock: systemClock,
    say: (line) => log.info({}, line),
    desktop: {
      command: async (folder) => [await kind.ready(folder), trialFlag],
      install: kind.install,
      claim,
      release: () => app.releaseSingleInstanceLock(),
    },
  })
  process.on('SIGTERM', () => keeper.stop())
  if (!(await keeper.settle())) {
    app.releaseSingleInstanceLock()
    startDetached([kind.program])
  }
}

/** Finishes a pending update, and ends this process. `tell` shows a failure to the person. */
export async function keepUpdate(log: Log, tell: (problem: string) => Promise<void>): Promise<void> {
  const kind = programKind()
  const isAsked = process.argv.includes(keepFlag)
  // Without the flag, a person started this process: a running instance, such as one on trial, shows its window.
  if (kind === undefined || (!isAsked && !app.requestSingleInstanceLock())) {
    app.quit()
    return
  }
  // The installed program is about to be replaced, so its copy carries on.
  if (
    !isAsked &&
    ownProgram() === kind.program &&
    existsSync(kind.keeper(versionFolder(home(), currentVersion(home())))[0])
  ) {
    app.releaseSingleInstanceLock()
    startKeeper(kind, currentVersion(home()))
    app.exit(0)
    return
  }
  try {
    await carryOut(kind, log)
  } catch (error) {
    log.error({ err: error }, 'An update could not be continued.')
    await tell(error instanceof Error ? error.message : String(error))
  }
  app.exit(0)
}
