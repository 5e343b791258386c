import { writeFile } from 'node:fs/promises'
import type { Log } from '../../ground/log.ts'
import { openConnection } from './connection.ts'
import { lockFolder, pathsIn } from './folder.ts'
import { check } from './integrity.ts'

/** Checks the database of a stopped server without changing its content. Returns the problem; undefined if it is whole. */
export async function inspectDatabase(directory: string, log: Log): Promise<string | undefined> {
  try {
    const lock = await lockFolder(directory, log, 0)
    try {
      const connection = await openConnection(pathsIn(directory).database, 'reader')
      try {
        await check(connection, 'full')
      } finally {
        await connection.close()
      }
    } finally {
      await lock.unlock()
      if (lock.wasUnclean) {
        // Still for the next start to find: its check is the full one.
        await writeFile(pathsIn(directory).holder, 'ended without unlocking\n', { mode: 0o600 })
      }
    }
    return undefined
  } catch (error) {
    return (error as Error).message
  }
}
