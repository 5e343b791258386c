/*
 * An installation with versions beside each other:
 *
 *   farhand            starts the version that `current` names
 *   current            name of a folder below versions/, replaced by one rename: the switch
 *   versions/<name>/   complete programs
 *   update.json        journal of the update that runs, or of the last one
 *   previous.json      previous version, for the way back
 *   before/<id>/       data from before an update
 *
 * Synchronous: who writes here has nothing else to do, and each call is a step that may be the last one before a kill.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { z } from 'zod'
import { flushFolderNow } from '../../ground/system.ts'

export interface Home {
  readonly folder: string
}

const at = (name: string) => (home: Home) => join(home.folder, name)
export const versionsIn = at('versions')
export const copiesIn = at('before')
const currentFile = at('current')
const journalFile = at('update.json')
const previousFile = at('previous.json')

/** Installation that a program folder belongs to; undefined for a checkout or a plain folder. */
export function homeOf(programFolder: string): Home | undefined {
  const versions = dirname(programFolder)
  const home = { folder: dirname(versions) }
  return basename(versions) === 'versions' && existsSync(currentFile(home)) ? home : undefined
}

/** Writes a file for its owner, flushed to disk. */
export function writeFlushed(file: string, content: string | Uint8Array): void {
  rmSync(file, { force: true })
  const descriptor = openSync(file, 'wx', 0o600)
  try {
    writeSync(descriptor, Buffer.from(content))
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Replaces a file by one rename. */
function replace(file: string, content: string) {
  writeFlushed(`${file}.tmp`, content)
  renameSync(`${file}.tmp`, file)
  flushFolderNow(dirname(file))
}

/** Folder name below versions/: no path. */
const VersionName = z.string().regex(/^[\w][\w.-]{0,60}$/)

export function currentVersion(home: Home): string {
  return VersionName.parse(readFileSync(currentFile(home), 'utf8').trim())
}

/** Makes a version the one that is started, by one rename. */
export const switchTo = (home: Home, name: string): void => replace(currentFile(home), `${VersionName.parse(name)}\n`)

export const versionFolder = (home: Home, name: string): string => join(versionsIn(home), VersionName.parse(name))

const Version = z.object({ name: VersionName, version: z.string() })
export type InstalledVersion = z.output<typeof Version>

export const Journal = z.object({
  id: z.guid(),
  kind: z.enum(['install', 'back']),
  from: Version,
  to: Version,
  dataDirectory: z.string(),
  /** Devices that were online, which must come back. */
  online: z.array(z.guid()),
  step: z.enum(['staged', 'trial', 'restoring', 'ended']),
  /** Starts of the new version so far. */
  attempts: z.int(),
  /** Copy of the data that is put back; null keeps the data. */
  restoreFrom: z.guid().nullable(),
  reason: z.string().nullable(),
  outcome: z.enum(['installed', 'failed', 'returned']).nullable(),
  startedAt: z.number(),
  endedAt: z.number().nullable(),
  /** Actor who started it; missing in journals of older versions. */
  actor: z.unknown().optional(),
})
export type Journal = z.output<typeof Journal>

const Previous = Version.extend({ copy: z.guid(), schema: z.array(z.string()), replacedAt: z.number() })
/** Version before the current one, with the copy of its data and the schema of that copy. */
export type PreviousVersion = z.output<typeof Previous>

function readJson<T>(schema: z.ZodType<T>, file: string): T | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(file, 'utf8'))).data
  } catch {
    return undefined
  }
}

export const readJournal = (home: Home): Journal | undefined => readJson(Journal, journalFile(home))
export const writeJournal = (home: Home, journal: Journal): void => replace(journalFile(home), JSON.stringify(journal))

/** Version to go back to; undefined without one, or if its folder is gone. */
export function previousVersion(home: Home): PreviousVersion | undefined {
  const previous = readJson(Previous, previousFile(home))
  const isUsable = previous && previous.name !== currentVersion(home) && existsSync(versionFolder(home, previous.name))
  return isUsable ? previous : undefined
}

export const notePrevious = (home: Home, previous: PreviousVersion): void =>
  replace(previousFile(home), JSON.stringify(previous))
export const forgetPrevious = (home: Home): void => rmSync(previousFile(home), { force: true })

/** Names of what is left of killed updates begins with a dot; `kept` names versions and copies in use. */
export function removeLeftovers(home: Home, kept: ReadonlySet<string>): void {
  for (const folder of [versionsIn(home), copiesIn(home)].filter((each) => existsSync(each))) {
    for (const name of readdirSync(folder).filter((each) => !kept.has(each))) {
      rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 3 })
    }
  }
}
