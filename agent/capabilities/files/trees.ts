import { constants, type Stats } from 'node:fs'
import { lstat, open, readlink, rmdir, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, parse, resolve } from 'node:path'
import { failure, success, type HubResult } from '../../../shared/dtos/hub-result.ts'
import { platform } from '../../platform/index.ts'
import type { FolderOwner } from '../../platform/platform.ts'
import { entriesIn } from './entries.ts'
import { absolutePath, systemPath, textOfName } from './names.ts'
import { notThere, reasonOf, Refusal } from './reasons.ts'

/** Batch size for deletion: a directory may hold millions of names. */
const namesAtATime = 10_000

const heldDirectory = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** O_PATH of Linux: opens a directory for traversal without permission to list its entries. */
const onTheWay = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW
/** Maximum number of links followed; the limit of Linux itself. */
const mostLinks = 40

/**
 * Runs `use` with a path that stays bound to the opened directory. Otherwise a user who can write to a parent could
 * replace the directory with a link during traversal, and have files elsewhere deleted or read (T08). Only Linux has
 * such paths.
 */
export async function inDirectory<T>(path: string, use: (held: string) => Promise<T>): Promise<T> {
  if (!platform.files.hasHeldPaths) {
    return await use(path)
  }
  const handle = await open(systemPath(path), heldDirectory)
  try {
    return await use(`/proc/self/fd/${handle.fd}`)
  } finally {
    await handle.close()
  }
}

const isForeign = ({ uid }: Stats) => uid !== 0 && uid !== process.getuid?.()

/**
 * Opens a directory name by name, so that a path element that is replaced with a link at any moment is noticed. Calls
 * `onForeignLink` for each link that belongs neither to root nor to this agent's user.
 */
async function openDirectory(
  path: string,
  onForeignLink: (link: Stats) => void,
  linksLeft = mostLinks,
): Promise<FileHandle> {
  const names = path.split('/').filter((name) => name !== '')
  let directory = await open('/', onTheWay)
  for (const [index, name] of names.entries()) {
    const next = systemPath(`/proc/self/fd/${directory.fd}/${name}`)
    try {
      const opened = await open(next, onTheWay)
      await directory.close()
      directory = opened
    } catch (error) {
      const link = await lstat(next).catch(() => undefined)
      const target = link?.isSymbolicLink() ? await readlink(next, { encoding: 'buffer' }) : undefined
      const isSame = link?.ino === (await lstat(next).catch(() => undefined))?.ino
      await directory.close()
      if (!link || !target || !isSame || linksLeft === 0) {
        throw error
      }
      if (isForeign(link)) {
        onForeignLink(link)
      }
      const above = `/${names.slice(0, index).join('/')}`
      return await openDirectory(
        resolve(above, textOfName(target), ...names.slice(index + 1)),
        onForeignLink,
        linksLeft - 1,
      )
    }
  }
  return directory
}

/** Runs `use` with a path whose parent directory is held open. Rejects a link of another user on the way. */
export async function inHeldParent<T>(path: string, use: (held: string) => Promise<T>): Promise<T> {
  if (!platform.files.hasHeldPaths) {
    return await use(path)
  }
  const parent = await openDirectory(dirname(path), () => {
    throw new Refusal('A link of another user is on the way to it: delete it by the path that the link leads to.')
  })
  try {
    return await use(`/proc/self/fd/${parent.fd}/${basename(path)}`)
  } finally {
    await parent.close()
  }
}

/**
 * Runs `use` with the held directory that files are written to. Rejects a link of another user to a directory of
 * somebody else: an agent of root would write for that user where the user may not (T32). With `owner` rejects every
 * directory of somebody else.
 */
export async function inTargetDirectory<T>(
  path: string,
  use: (held: string) => Promise<T>,
  owner?: FolderOwner,
): Promise<T> {
  if (!platform.files.hasHeldPaths) {
    const pinned = owner?.pin?.(path)
    try {
      return await use(pinned?.path ?? path)
    } finally {
      pinned?.release()
    }
  }
  const linkOwners = new Set<number>()
  const directory = await openDirectory(path, ({ uid }) => linkOwners.add(uid))
  try {
    const { uid } = await directory.stat()
    if (owner && uid !== owner.uid) {
      throw new Refusal(
        'The folder for these files does not belong to the person at the desktop. Send them on the Files tab.',
      )
    }
    if ([...linkOwners].some((owner) => owner !== uid)) {
      throw new Refusal('A link of another user leads to this folder. Use the path that the link leads to.')
    }
    return await use(`/proc/self/fd/${directory.fd}`)
  } finally {
    await directory.close()
  }
}

/** Reads up to `most` names of a directory as text; the total number is unbounded. */
export async function namesIn(directory: string, most = Infinity): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of entriesIn(directory)) {
    if (names.push(name) >= most) {
      break
    }
  }
  return names
}

export async function removeTree(path: string): Promise<void> {
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

/** Deletes a file, a link (never its target), or a directory with its descendants. */
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
    await inHeldParent(plain, removeTree)
    return success
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return failure(isGone ? notThere : reasonOf(error, plain))
  }
}
