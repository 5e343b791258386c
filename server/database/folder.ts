import { chmod, mkdir, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sqlite3 from 'sqlite3'
import type { Log } from '../log.ts'
import { StartError } from '../start-error.ts'
import { promised, sqliteCode } from './connection.ts'

/**
 * What the database layer keeps in the data folder. Never open `lock` or `database` with node:fs while they are in use:
 * on POSIX systems, closing any descriptor of a file drops every lock that the process holds on it.
 */
export const pathsIn = (directory: string) => ({
  database: join(directory, 'farhand.db'),
  copies: join(directory, 'backups'),
  lock: join(directory, 'farhand.lock'),
  /** Who holds the lock, for the sentence that others are refused with. */
  holder: join(directory, 'farhand.pid'),
  /** Says that a database belongs here. */
  marker: join(directory, 'farhand.installed'),
})

export type Paths = ReturnType<typeof pathsIn>

const errorCode = (error: unknown) => (error instanceof Error && 'code' in error ? error.code : undefined)

/** The file's size in bytes, 0 when there is none. */
export const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/** Creates a file for the owner only; leaves an existing one untouched. SQLite gives -wal and -shm the same mode. */
export async function createPrivateFile(path: string): Promise<void> {
  try {
    await (await open(path, 'ax', 0o600)).close()
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** Makes the data folder, and closes it and our files in it to other users of the machine. */
export async function secureFolder(directory: string, log: Log): Promise<void> {
  const { copies } = pathsIn(directory)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  if ((await stat(directory)).mode & 0o1000) {
    throw new StartError(`${directory} is a folder that all users of this machine share: choose a folder of its own.`)
  }
  await mkdir(copies, { recursive: true, mode: 0o700 })
  const ours = (await readdir(directory))
    .filter((name) => name.startsWith('farhand.'))
    .map((name) => join(directory, name))
  const kept = (await readdir(copies)).map((name) => join(copies, name))
  const modes = [directory, copies].map((path) => [path, 0o700] as const)
  for (const [path, mode] of [...modes, ...[...ours, ...kept].map((path) => [path, 0o600] as const)]) {
    // A mounted volume may belong to somebody else; that alone must not keep a container from starting.
    await chmod(path, mode).catch((error: unknown) => {
      log.warn({ path, err: error }, 'This path is open to other users of the machine, and its mode cannot be changed')
    })
  }
}

/** Nothing is ever written, but beginning creates a journal file unless that is told to stay in memory. */
const takeLock = 'PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE'

/**
 * Takes the folder for this process and returns the function that gives it back. The lock is SQLite's own on an empty
 * file: the kernel releases it with the process, however that ends, and no stale lock can stay behind.
 */
export async function lockFolder(directory: string): Promise<() => Promise<void>> {
  const { lock, holder } = pathsIn(directory)
  await createPrivateFile(lock)
  const handle = await new Promise<sqlite3.Database>((resolve, reject) => {
    const opened = new sqlite3.Database(lock, sqlite3.OPEN_READWRITE, (error) =>
      error ? reject(error) : resolve(opened),
    )
  })
  const close = () => promised((callback: (error: Error | null) => void) => handle.close(callback))
  // A predecessor that is just ending gets this long.
  handle.configure('busyTimeout', 500)
  try {
    await promised((callback: (error: Error | null) => void) => handle.exec(takeLock, callback))
    await writeFile(holder, `${process.pid}\n`, { mode: 0o600 })
  } catch (error) {
    await close()
    if (sqliteCode(error) !== 'SQLITE_BUSY') throw error
    const pid = await readFile(holder, 'utf8').catch(() => '')
    throw new StartError(
      `The data folder ${directory} is in use by another running Farhand${pid && ` (process ${pid.trim()})`}. ` +
        'Stop that one first, or start this one with another data folder.',
    )
  }
  return async () => {
    await rm(holder, { force: true })
    await close()
  }
}
