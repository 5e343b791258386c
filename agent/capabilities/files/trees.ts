import { constants } from 'node:fs'
import { lstat, open, rmdir, unlink } from 'node:fs/promises'
import { join, parse } from 'node:path'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { entriesIn } from './entries.ts'
import { absolutePath, systemPath } from './names.ts'
import { notThere, reasonOf, Refusal } from './reasons.ts'

/** Removed before more are read: a directory may hold millions. */
const namesAtATime = 10_000

const heldDirectory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/**
 * Lets `use` work in a directory under a path that stays with it. Whoever may write above could put a link in its place
 * while the tree is walked, and have files outside of it deleted or read (T08). Other systems than Linux have no such path.
 */
export async function inDirectory<T>(path: string, use: (held: string) => Promise<T>): Promise<T> {
  if (process.platform !== 'linux') {
    return await use(path)
  }
  const handle = await open(systemPath(path), heldDirectory)
  try {
    return await use(`/proc/self/fd/${handle.fd}`)
  } finally {
    await handle.close()
  }
}

/** Up to `most` names in a directory as text: nobody knows how many there are. */
export async function namesIn(directory: string, most = Infinity): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of entriesIn(directory)) {
    if (names.push(name) >= most) {
      break
    }
  }
  return names
}

async function removeTree(path: string): Promise<void> {
  if ((await lstat(systemPath(path))).isDirectory()) {
    await inDirectory(path, async (held) => {
      for (let names = await namesIn(held, namesAtATime); names.length > 0; names = await namesIn(held, namesAtATime)) {
        for (const name of names) {
          await removeTree(join(held, name))
        }
      }
    })
    await rmdir(systemPath(path))
  } else {
    await unlink(systemPath(path))
  }
}

/** Deletes a file, a link (never what it leads to), or a directory with all that is in it. */
export async function deletePath(targetPath: string): Promise<HubResult> {
  const path = absolutePath(targetPath)
  if (path === undefined) {
    return failure(notThere)
  }
  const plain = path.length > parse(path).root.length ? path.replace(/[/\\]+$/, '') : path
  try {
    if (plain === parse(plain).root) {
      throw new Refusal('A whole drive is not deleted.')
    }
    await removeTree(plain)
    return success
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return failure(isGone ? notThere : reasonOf(error, plain))
  }
}
