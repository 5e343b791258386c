import { constants } from 'node:fs'
import { mkdir, open, stat, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from '../../base/environment.ts'
import { systemPath } from './names.ts'

/** Resolution of times in file systems. */
const timesMs = 1_000

/**
 * Gives a new file or directory to the owner of its folder: an agent that runs as root would otherwise leave files that
 * the person at the device cannot change. A file system without owners keeps its own.
 */
export async function giveToOwnerOf(folder: string, made: FileHandle): Promise<void> {
  if (isRoot) {
    const { uid, gid } = await stat(systemPath(folder))
    await made.chown(uid, gid).catch(() => {})
  }
}

/**
 * Makes a directory for the owner of its folder. That owner could move another directory of root to its name meanwhile:
 * an older one is not given away.
 */
export async function makeDirectory(folder: string, name: string): Promise<void> {
  const path = systemPath(join(folder, name))
  const before = Date.now() - timesMs
  await mkdir(path)
  if (isRoot) {
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    try {
      if ((await handle.stat()).birthtimeMs > before) {
        await giveToOwnerOf(folder, handle)
      }
    } finally {
      await handle.close()
    }
  }
}
