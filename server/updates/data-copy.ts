import {
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { z } from 'zod'
import { finishReplacement, isReplaceable, planReplacement } from '../backup/replacement.ts'
import { openBare } from '../engines/database/connection.ts'
import { filesOfProcess, lockFolder, pathsIn } from '../engines/database/folder.ts'
import type { Log } from '../ground/log.ts'
import { writeFlushed } from '../engines/process/program-home.ts'
import { UpdateProblem } from './update-problem.ts'

/** Merged into the database before it is copied. */
const logsOfDatabase = ['farhand.db-wal', 'farhand.db-shm']
const lockWaitMs = 15_000

const Contents = z.object({
  files: z.array(z.object({ name: z.string(), bytes: z.number() })),
  schema: z.array(z.string()),
})
const listName = 'contents.json'

/** Files of the data folder: database, secrets, notes. Leaves out folders, which hold caches and older copies. */
const filesIn = (directory: string) =>
  readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isFile() && isReplaceable(entry.name))
    .map(({ name }) => name)
    .filter((name) => !filesOfProcess.has(name) && !logsOfDatabase.includes(name))

function copyFlushed(from: string, to: string) {
  rmSync(to, { force: true })
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
  const descriptor = openSync(to, 'r+')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

/** Merges the write-ahead log into the database file; returns the names of the migrations that have run. */
async function settleDatabase(directory: string): Promise<string[]> {
  const { database } = pathsIn(directory)
  if (!existsSync(database)) {
    throw new UpdateProblem(`There is no database in ${directory}.`)
  }
  const connection = await openBare(database, 1_000)
  try {
    await connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
    const rows = await connection.all<{ name: string }>('SELECT name FROM migrations ORDER BY position')
    return rows.map(({ name }) => name)
  } finally {
    await connection.close()
  }
}

/**
 * Copies the data of a stopped server into the new folder `copy`, complete or not at all. Returns the names of the
 * migrations that have run on it.
 */
export async function copyData(directory: string, copy: string, log: Log): Promise<string[]> {
  const { unlock } = await lockFolder(directory, log, lockWaitMs)
  try {
    const schema = await settleDatabase(directory)
    const partial = `${copy}.partial`
    rmSync(partial, { recursive: true, force: true })
    mkdirSync(partial, { recursive: true, mode: 0o700 })
    const files = filesIn(directory).map((name) => ({ name, bytes: statSync(join(directory, name)).size }))
    files.forEach(({ name }) => copyFlushed(join(directory, name), join(partial, name)))
    writeFlushed(join(partial, listName), JSON.stringify({ files, schema }))
    rmSync(copy, { recursive: true, force: true })
    renameSync(partial, copy)
    return schema
  } finally {
    await unlock()
  }
}

/** Contents of a copy; throws an `UpdateProblem` for one that is not complete. */
export function readContents(copy: string): z.output<typeof Contents> {
  const list = join(copy, listName)
  const contents = existsSync(list) ? Contents.safeParse(JSON.parse(readFileSync(list, 'utf8'))).data : undefined
  const damaged = contents?.files.find(
    ({ name, bytes }) => statSync(join(copy, name), { throwIfNoEntry: false })?.size !== bytes,
  )
  if (!contents || damaged) {
    throw new UpdateProblem(`The copy of the data in ${copy} is not complete${damaged ? `: ${damaged.name}` : ''}.`)
  }
  return contents
}

/**
 * Puts the data of a copy in place of the data of a stopped server, which is moved aside and never deleted. May be killed at
 * any step and called again.
 */
export async function restoreData(copy: string, directory: string, id: string, log: Log): Promise<void> {
  const { unlock } = await lockFolder(directory, log, lockWaitMs)
  try {
    await finishReplacement(directory)
    const added = readContents(copy).files.map(({ name }) => name)
    const staged = `restore-${id}`
    const folder = join(directory, staged)
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { mode: 0o700 })
    added.forEach((name) => copyFlushed(join(copy, name), join(folder, name)))
    // The write-ahead log belongs to the replaced database, and would damage the restored one.
    const replaced = [...filesIn(directory), ...logsOfDatabase]
    await planReplacement(directory, { staged, aside: basename(asideOf(directory, id)), replaced, added })
    await finishReplacement(directory)
  } finally {
    await unlock()
  }
}

const asidePrefix = 'set-aside-'

/** Folder of the data that an update with this id replaced. */
export const asideOf = (directory: string, id: string): string => join(directory, `${asidePrefix}${id}`)

/** Removes data that was moved aside by earlier updates. */
export function removeAside(directory: string, kept: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(asidePrefix) && name !== `${asidePrefix}${kept}`) {
      rmSync(join(directory, name), { recursive: true, force: true })
    }
  }
}
