import { existsSync, statSync } from 'node:fs'
import { chmod, mkdir, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { codeOf } from '../../ground/errors.ts'
import type { Log } from '../../ground/log.ts'
import { preparedFolderProblem, preparedProblem } from '../../ground/prepared-path.ts'
import { StartError } from '../../ground/start-error.ts'
import { openBare, sqliteCode, type Connection } from './connection.ts'

/**
 * Paths of the database layer in the data folder. Never open `lock` or `database` with node:fs while they are in use:
 * on POSIX systems, closing any descriptor of a file drops every lock that the process holds on it.
 */
export const pathsIn = (directory: string) => ({
  database: join(directory, 'farhand.db'),
  /** Names the write-ahead log that belongs to the database. */
  logNote: join(directory, 'farhand.log-note.json'),
  copies: join(directory, 'backups'),
  lock: join(directory, 'farhand.lock'),
  /** Process that holds the lock, for the error message of other processes. */
  holder: join(directory, 'farhand.pid'),
  /** Names the PostgreSQL database that keeps the data of the folder, if one does. */
  postgres: join(directory, 'farhand.postgres'),
  /** Marks the folder as one that must contain a database. */
  marker: join(directory, 'farhand.installed'),
})

/** Files of a running process, which a killed process leaves behind; a copy of the folder leaves them out. */
export const filesOfProcess: ReadonlySet<string> = new Set([
  'farhand.lock',
  'farhand.pid',
  'farhand.control',
  'farhand.sock',
])

export type Paths = ReturnType<typeof pathsIn>

export interface LockedFolder {
  /** Whether the process that held the folder before ended without unlocking it. */
  wasUnclean: boolean
  unlock(): Promise<void>
}

/** The file's size in bytes, 0 if it does not exist. */
export const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Whether an installation has its data in the folder, or in the database that the folder names. */
export function holdsDatabase(directory: string): boolean {
  const { database, postgres } = pathsIn(directory)
  return existsSync(database) || existsSync(postgres)
}

/** Creates a file for the owner only; leaves an existing file unchanged. SQLite gives -wal and -shm the same mode. */
export async function createPrivateFile(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close()
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') {
      throw error
    }
  }
}

/** Creates the data folder if missing, and rejects a folder that other users may have prepared. */
export async function createFolder(directory: string): Promise<void> {
  const refuseFor = (problem: string | undefined) => {
    if (problem !== undefined) {
      throw new StartError(
        `The data folder ${directory} is not used: ${problem}, or choose another one (DataDirectory).`,
      )
    }
  }
  if ((statSync(directory, { throwIfNoEntry: false })?.mode ?? 0) & 0o1000) {
    throw new StartError(`${directory} is a folder that all users of this machine share: choose a folder of its own.`)
  }
  // Checked first, so that root leaves no files in another user's folder.
  refuseFor(preparedProblem(directory))
  await mkdir(directory, { recursive: true, mode: 0o700 })
  refuseFor(preparedFolderProblem(directory) ?? preparedFolderProblem(pathsIn(directory).copies))
}

/** Restricts the data folder and the files of the database to their owner. */
export async function closeToOthers(directory: string, log: Log): Promise<void> {
  const { copies } = pathsIn(directory)
  await mkdir(copies, { recursive: true, mode: 0o700 })
  const entries = await Promise.all([directory, copies].map((path) => readdir(path, { withFileTypes: true })))
  const files = entries.flat().filter((entry) => entry.isFile() && entry.name.startsWith('farhand'))
  const setMode = (path: string, mode: number) =>
    // A mounted volume may belong to another user; that alone must not keep a container from starting.
    chmod(path, mode).catch((error: unknown) => {
      log.warn({ path, err: error }, 'Other users of the machine may be able to read this path: its mode cannot be set')
    })
  for (const path of [directory, copies]) {
    await setMode(path, 0o700)
  }
  for (const { parentPath, name } of files) {
    await setMode(join(parentPath, name), 0o600)
  }
}

/** The lock file is never written, but BEGIN would create a journal file on disk. */
const takeLock = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'

/**
 * Maximum wait of one attempt to take the lock. Short: an attempt blocks one of libuv's threads, which delays the
 * process exit.
 */
const attemptMs = 500

const takeFrom = (connection: Connection) =>
  connection.exec(takeLock).then(
    () => true,
    (error: unknown) => {
      if (sqliteCode(error) !== 'SQLITE_BUSY') {
        throw error
      }
      return false
    },
  )

/** Lock beside a folder that is being moved: Windows renames no folder with open files. */
const moveLockOf = (directory: string) => `${resolve(directory)}.moving`

/** Locks a folder against every start while it is moved; returns the function that unlocks it. Throws if it is moved already. */
export async function lockForMove(directory: string): Promise<() => Promise<void>> {
  const lock = moveLockOf(directory)
  await createPrivateFile(lock)
  const connection = await openBare(lock, 0)
  if (!(await takeFrom(connection))) {
    await connection.close()
    throw moving(directory)
  }
  return async () => {
    await connection.close()
    await rm(lock, { force: true }).catch(() => {})
  }
}

const moving = (directory: string) =>
  new StartError(`The data folder ${directory} is being moved by another Farhand. Start again when the move has ended.`)

/** Throws while another process moves the folder. A killed process leaves a file without a lock. */
async function refuseWhileMoved(directory: string): Promise<void> {
  if (existsSync(moveLockOf(directory))) {
    await (
      await lockForMove(directory)
    )()
  }
}

/** Whether another process has the folder locked. Holds the lock for a moment, for which a start waits. */
export async function isLocked(directory: string): Promise<boolean> {
  const { lock } = pathsIn(directory)
  if (!existsSync(lock)) {
    return false
  }
  const connection = await openBare(lock, 0)
  try {
    return !(await takeFrom(connection))
  } finally {
    await connection.close()
  }
}

/**
 * Locks the folder for this process. The lock is SQLite's own on an empty file: the kernel releases the lock when the
 * process ends in any way, so no stale lock can remain. Waits up to `waitMs` for another Farhand to release the folder;
 * after half a second the wait is logged.
 */
export async function lockFolder(directory: string, log: Log, waitMs: number): Promise<LockedFolder> {
  const { lock, holder } = pathsIn(directory)
  await createPrivateFile(lock)
  const connection = await openBare(lock, attemptMs)
  const inUse = async () => {
    const pid = await readFile(holder, 'utf8').catch(() => '')
    return `The data folder ${directory} is in use by another running Farhand${pid && ` (process ${pid.trim()})`}.`
  }
  let wasUnclean
  try {
    for (let waitedMs = attemptMs; !(await takeFrom(connection)); waitedMs += attemptMs) {
      if (waitedMs >= waitMs) {
        throw new StartError(`${await inUse()} Stop that process first, or start with another data folder.`)
      }
      if (waitedMs === attemptMs) {
        log.warn({}, `${await inUse()} Waiting up to ${waitMs / 1000} s for that process to end.`)
      }
    }
    await refuseWhileMoved(directory)
    wasUnclean = (await sizeOf(holder)) > 0
    await writeFile(holder, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    await connection.close()
    throw error
  }
  return {
    wasUnclean,
    async unlock() {
      await rm(holder, { force: true })
      await connection.close()
    },
  }
}
