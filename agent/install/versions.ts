/**
 * Versions of the installed program, each complete in a folder below `versions/`. On Unix the link `current` names the one
 * that is started; service files, cron and people name the links `node`, `main.js` and `Farhand.Agent`, which lead through
 * `current`, so that one rename switches all of them. Windows cannot replace a link to a folder in one step: there the
 * command line of the service names the folder.
 */
import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { bestEffort } from '../base/best-effort.ts'
import type { Paths } from '../base/paths.ts'
import { programFile } from '../base/version.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { platform } from '../platform/index.ts'

type ProgramFolder = Pick<Paths, 'programFolder'>

const versionsIn = ({ programFolder }: ProgramFolder) => join(programFolder, 'versions')
const currentLink = ({ programFolder }: ProgramFolder) => join(programFolder, 'current')

/** Name of a program that was there before versions had folders. */
const adopted = 'before-versions'
const { entries, copiedEntries } = platform.program
const kept = new Set(['versions', 'current', ...entries])

/** No installation takes as long: what is unpacked and not started after that belongs to one that was killed. */
const abandonedAfterMs = 60 * 60_000

const realPathOf = (path: string) => (existsSync(path) ? realpathSync.native(path) : undefined)

/** Folder of the version that this very program is; undefined for one that no installer put there. */
export function ownVersion(paths: ProgramFolder): string | undefined {
  const folder = dirname(programFile())
  return realPathOf(dirname(folder)) === realPathOf(versionsIn(paths)) ? folder : undefined
}

/** Folder of the version that the link `current` names. */
export const currentVersion = (paths: ProgramFolder): string | undefined => realPathOf(currentLink(paths))

/** SHA-256 of the bundle that is installed, by which the agent knows an update; empty for an agent without a bundle. */
export const installedBundle = ({ bundleFile }: Pick<Paths, 'bundleFile'>): string =>
  existsSync(bundleFile) ? readFileSync(bundleFile, 'utf8') : ''

/** Remembers which bundle the installer unpacked as a version. */
export function saveInstalledBundle({ bundleFile }: Pick<Paths, 'bundleFile'>, version: string | undefined): void {
  const file = join(version ?? '', 'bundle.sha256')
  if (version !== undefined && existsSync(file)) {
    writeFileAtomically(bundleFile, readFileSync(file, 'utf8'))
  }
}

/** Makes a file or link beside its place and moves it there, so that the place is never empty. */
function replace(place: string, make: (temporary: string) => void) {
  const temporary = `${place}.${process.pid}.tmp`
  rmSync(temporary, { force: true })
  make(temporary)
  renameSync(temporary, place)
}

const replaceLink = (place: string, target: string) => replace(place, (temporary) => symlinkSync(target, temporary))

function replaceEntry(paths: ProgramFolder, name: string) {
  const place = join(paths.programFolder, name)
  if (copiedEntries.includes(name)) {
    replace(place, (temporary) => copyFileSync(join(currentLink(paths), name), temporary, constants.COPYFILE_FICLONE))
  } else if (!lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) {
    replaceLink(place, `current/${name}`)
  }
}

/** Copies a tree by hard links; `isWanted` decides about its top. */
function linkTree(from: string, to: string, isWanted: (name: string) => boolean = () => true) {
  mkdirSync(to)
  for (const entry of readdirSync(from, { withFileTypes: true }).filter(({ name }) => isWanted(name))) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) {
      linkTree(source, target)
    } else {
      linkSync(source, target)
    }
  }
}

/**
 * Takes over a program that lies in the program folder itself: its files become a version, and what service files name
 * become links to that version. Its own files stay until a version has come online.
 */
function adopt(paths: ProgramFolder) {
  const { programFolder } = paths
  if (!lstatSync(join(programFolder, 'main.js'), { throwIfNoEntry: false })?.isFile()) {
    return
  }
  if (currentVersion(paths) === undefined) {
    const folder = join(versionsIn(paths), adopted)
    rmSync(folder, { recursive: true, force: true })
    linkTree(programFolder, folder, (name) => name !== 'versions' && !name.endsWith('.tmp'))
    replaceLink(currentLink(paths), `versions/${adopted}`)
  }
  entries.forEach((name) => replaceEntry(paths, name))
}

/** Returns the version that an update replaces on Unix, after taking over a program of the old layout. */
export function versionBefore(paths: ProgramFolder): string | undefined {
  adopt(paths)
  return currentVersion(paths)
}

/** Makes a version the one that is started, in one step. */
export function switchTo(paths: ProgramFolder, version: string): void {
  replaceLink(currentLink(paths), `versions/${basename(version)}`)
  entries.forEach((name) => replaceEntry(paths, name))
}

/**
 * Removes what the version that has come online replaces: the one before, a program of the old layout, and what killed
 * installers left. A version that another installer unpacks right now stays.
 */
export function removeOtherVersions(paths: ProgramFolder, online: string, before = ''): void {
  const removeFrom = (folder: string, isReplaced: (path: string, name: string) => boolean) => {
    for (const name of readdirSync(folder)) {
      const path = join(folder, name)
      bestEffort(() => isReplaced(path, name) && rmSync(path, { recursive: true, force: true, maxRetries: 3 }))
    }
  }
  const isAbandoned = (folder: string) => Date.now() - lstatSync(folder).mtimeMs > abandonedAfterMs
  removeFrom(versionsIn(paths), (folder, name) => {
    const isOther = name !== basename(online)
    return isOther && (name === adopted || name === basename(before) || isAbandoned(folder))
  })
  removeFrom(paths.programFolder, (_, name) => !kept.has(name))
}
