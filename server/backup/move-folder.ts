import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, isAbsolute, relative, resolve } from 'node:path'
import { filesOfProcess, lockFolder, lockForMove, pathsIn } from '../engines/database/folder.ts'
import { codeOf } from '../ground/errors.ts'
import type { Log } from '../ground/log.ts'
import { BackupError, explainAt } from './backup-error.ts'
import { partialEnding, syncFolder } from './copy-file.ts'

const contains = (outer: string, inner: string) => {
  const path = relative(outer, inner)
  return path === '' || !(path.startsWith('..') || isAbsolute(path))
}

export const holdsData = (directory: string): boolean => existsSync(pathsIn(directory).marker)

async function checkTarget(from: string, to: string): Promise<void> {
  if (contains(from, to) || contains(to, from)) {
    throw new BackupError(`${to} and ${from} lie in each other. Choose a folder beside the data folder.`)
  }
  const names = existsSync(to) ? await readdir(to) : []
  if (names.length > 0) {
    throw new BackupError(`${to} is not empty. Choose an empty folder.`)
  }
}

/** Copies to another disk; the new folder appears under its name once it is complete, and the old one is renamed. */
async function copyAcross(from: string, to: string): Promise<void> {
  const partial = to + partialEnding
  await rm(partial, { recursive: true, force: true })
  try {
    const filter = (path: string) => !filesOfProcess.has(basename(path))
    await cp(from, partial, { recursive: true, preserveTimestamps: true, filter })
    await syncFolder(partial)
    await rename(partial, to)
  } catch (error) {
    await rm(partial, { recursive: true, force: true }).catch(() => {})
    throw error
  }
  await rename(from, `${from}-moved-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}`)
}

/**
 * Moves the data folder of a stopped server to a folder that is empty or missing. Throws a `BackupError` with everything
 * where it was.
 */
export async function moveDataFolder(from: string, target: string, log: Log): Promise<void> {
  const to = resolve(target)
  await checkTarget(resolve(from), to)
  // Checks that no server uses the folder, and lets none start in it before the lock inside is released for the rename.
  const { unlock } = await lockFolder(from, log, 0)
  let unlockMove
  try {
    unlockMove = await lockForMove(from)
  } finally {
    await unlock()
  }
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 })
    if (existsSync(to)) {
      await rmdir(to)
    }
    await rename(from, to).catch((error: unknown) => {
      if (codeOf(error) !== 'EXDEV') {
        throw error
      }
      return copyAcross(from, to)
    })
    await syncFolder(dirname(to))
  } catch (error) {
    throw explainAt(to, error)
  } finally {
    await unlockMove()
  }
}
