/**
 * Versions of the installed program, each complete in a folder below `versions/`. On Unix the link `current` points to
 * the started version; service files and cron use the links `node`, `main.js` and `Farhand.Agent`, which go through
 * `current`, so one rename switches all of them. Windows cannot replace a folder link atomically: there the command
 * line of the service names the folder.
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
import { hourMs } from '../../shared/durations.ts'
import { bestEffort } from '../base/best-effort.ts'
import type { Paths } from '../base/paths.ts'
import { programFile } from '../base/version.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { platform } from '../platform/index.ts'

type ProgramFolder = Pick<Paths, 'programFolder'>

const versionsIn = ({ programFolder }: ProgramFolder) => join(programFolder, 'versions')
const currentLink = ({ programFolder }: ProgramFolder) => join(programFolder, 'current')

/** Folder name of a version that was installed before each version had a folder. */
const adopted = 'before-versions'
const { entries, copiedEntries } = platform.program
const kept = new Set(['versions', 'current', ...entries])

/**
 * Longer than any installation: an unpacked version that was not started within this time belongs to a killed
 * installer.
 */
const abandonedAfterMs = hourMs

const realPathOf = (path: string) => (existsSync(path) ? realpathSync.native(path) : undefined)

/** Folder of this program's version; undefined if no installer unpacked it. */
export function ownVersion(paths: ProgramFolder): string | undefined {
  const folder = dirname(programFile())
  return realPathOf(dirname(folder)) === realPathOf(versionsIn(paths)) ? folder : undefined
}

/** Folder of the version that the link `current` points to. */
export const currentVersion = (paths: ProgramFolder): string | undefined => realPathOf(currentLink(paths))

/**
 * SHA-256 of the installed bundle, which the agent compares with the offered one; empty for an agent without a bundle.
 */
export const installedBundle = ({ bundleFile }: Pick<Paths, 'bundleFile'>): string =>
  existsSync(bundleFile) ? readFileSync(bundleFile, 'utf8') : ''

/** Saves the hash of the bundle that the installer unpacked as a version. */
export function saveInstalledBundle({ bundleFile }: Pick<Paths, 'bundleFile'>, version: string | undefined): void {
  const file = join(version ?? '', 'bundle.sha256')
  if (version !== undefined && existsSync(file)) {
    writeFileAtomically(bundleFile, readFileSync(file, 'utf8'))
  }
}

/** Replaces a file or link atomically: creates it under a temporary name and renames it. */
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

/** Copies a tree with hard links; `isWanted` filters the top level. */
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
 * Converts a program of the old layout: links its files into a version, and replaces the paths in service files by
 * links to that version. The old files stay until a version has come online.
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

/** Returns the version that an update replaces on Unix. Converts the old layout first. */
export function versionBefore(paths: ProgramFolder): string | undefined {
  adopt(paths)
  return currentVersion(paths)
}

/** Points `current` to a version, atomically. */
export function switchTo(paths: ProgramFolder, version: string): void {
  replaceLink(currentLink(paths), `versions/${basename(version)}`)
  entries.forEach((name) => replaceEntry(paths, name))
}

/**
 * Removes the replaced version, a program of the old layout, and leftovers of killed installers. Keeps a version that
 * another installer is unpacking.
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
