import { createHash, type Hash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { chown, lchown, lstat, mkdir, open, readlink, stat, symlink, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { isRoot } from '../../base/environment.ts'
import { platform } from '../../platform/index.ts'
import { systemPath } from './names.ts'
import { Refusal } from './reasons.ts'
import { inDirectory, namesIn } from './trees.ts'

/** Maximum number of entries that one item copies. */
const mostEntries = 1_000_000

const blockBytes = 1024 * 1024
const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const directoryFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
/** O_PATH of Linux: opens a link itself. */
const linkFlags = 0o10000000 | (constants.O_NOFOLLOW ?? 0)

/** Owner of copied files; undefined where the system decides. */
type Owner = Pick<Stats, 'uid' | 'gid'> | undefined

export interface Copying {
  signal: AbortSignal
  /** Owner of the copies. `source`: that of each source, for a move. */
  owner: Owner | 'source'
  /** Whether each copied file is flushed, read again and compared, because its source will be deleted. */
  isVerified: boolean
  onBytes(bytes: number): void
  onFile(): void
  /** Called with the identity of the copy as soon as it exists, to find it again after a crash. */
  onBegun(copy: Stats): Promise<void>
}

/** Entry being copied: its held path, and the path shown to people. */
interface Place {
  held: string
  path: string
}

const below = ({ path }: Place, directory: string, name: string): Place => ({
  held: join(directory, name),
  path: join(path, name),
})

/** Counts the files of a tree and their bytes, without following links. */
export async function measureTree(path: string, signal: AbortSignal): Promise<{ files: number; bytes: number }> {
  const found = { files: 0, bytes: 0 }
  let entries = 0
  const measure = async (place: string): Promise<void> => {
    signal.throwIfAborted()
    if (++entries > mostEntries) {
      throw new Refusal(`At most ${mostEntries.toLocaleString('en')} files and folders are copied at once.`)
    }
    const stats = await lstat(systemPath(place))
    if (stats.isDirectory()) {
      await inDirectory(place, async (held) => {
        for (const name of await namesIn(held, mostEntries)) {
          await measure(join(held, name))
        }
      })
    } else {
      found.files++
      found.bytes += stats.isFile() ? stats.size : 0
    }
  }
  await measure(path)
  return found
}

/** Gives a finished copy the mode, the times and the owner. Drops set-user-id bits. */
async function dress(handle: FileHandle, source: Stats, { owner }: Copying): Promise<void> {
  const wanted = owner === 'source' ? source : owner
  if (platform.files.hasModes) {
    if (wanted && isRoot) {
      await handle.chown(wanted.uid, wanted.gid).catch(() => {})
    }
    await handle.chmod(source.mode & 0o777)
  }
  await handle.utimes(source.atime, source.mtime)
}

async function copyBytes(from: FileHandle, to: FileHandle, copying: Copying): Promise<Hash> {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(blockBytes)
  for (let position = 0; ;) {
    copying.signal.throwIfAborted()
    const { bytesRead } = await from.read(block, 0, block.length, position)
    if (bytesRead === 0) {
      return hash
    }
    const piece = block.subarray(0, bytesRead)
    for (let at = 0; at < piece.length;) {
      at += (await to.write(piece, at, piece.length - at, position + at)).bytesWritten
    }
    if (copying.isVerified) {
      hash.update(piece)
    }
    position += bytesRead
    copying.onBytes(bytesRead)
  }
}

async function hashOf(handle: FileHandle): Promise<string> {
  const hash = createHash('sha256')
  const block = Buffer.allocUnsafe(blockBytes)
  for (let position = 0; ;) {
    const { bytesRead } = await handle.read(block, 0, block.length, position)
    if (bytesRead === 0) {
      return hash.digest('hex')
    }
    hash.update(block.subarray(0, bytesRead))
    position += bytesRead
  }
}

async function copyFile({ held, path }: Place, to: string, found: Stats, copying: Copying, isTop: boolean) {
  const from = await open(systemPath(held), readFlags)
  try {
    const source = await from.stat()
    if (!source.isFile() || source.ino !== found.ino || source.dev !== found.dev) {
      throw new Refusal(`${path} was replaced by another file.`)
    }
    const target = await open(systemPath(to), 'wx+', 0o600)
    try {
      if (isTop) {
        await copying.onBegun(await target.stat())
      }
      const hash = await copyBytes(from, target, copying)
      if (copying.isVerified) {
        await target.sync()
        if ((await hashOf(target)) !== hash.digest('hex')) {
          throw new Refusal(`The copy differs from its source: ${path}`)
        }
      }
      await dress(target, source, copying)
    } finally {
      await target.close()
    }
  } finally {
    await from.close()
  }
}

/** Gives a link to its owner. The folder's owner could put another file of root under its name meanwhile (T32). */
async function giveLink(path: string, { uid, gid }: Pick<Stats, 'uid' | 'gid'>): Promise<void> {
  if (!platform.files.hasHeldPaths) {
    await lchown(systemPath(path), uid, gid)
    return
  }
  const handle = await open(systemPath(path), linkFlags)
  try {
    if ((await handle.stat()).isSymbolicLink()) {
      await chown(`/proc/self/fd/${handle.fd}`, uid, gid)
    }
  } finally {
    await handle.close()
  }
}

async function copyLink({ held }: Place, to: string, found: Stats, copying: Copying, isTop: boolean): Promise<void> {
  const { owner } = copying
  const names = platform.files.namesAreBytes
  const target = await readlink(systemPath(held), { encoding: names ? 'buffer' : 'utf8' } as { encoding: 'buffer' })
  await symlink(target, systemPath(to))
  if (isTop) {
    await copying.onBegun(await lstat(systemPath(to)))
  }
  const wanted = owner === 'source' ? found : owner
  if (wanted && isRoot && platform.files.hasModes) {
    await giveLink(to, wanted).catch(() => {})
  }
}

/** Copies what is in a directory into another one, which is held. */
async function copyBelow(place: Place, into: string, copying: Copying, top: Stats): Promise<void> {
  await inDirectory(place.held, async (from) => {
    for (const name of await namesIn(from, mostEntries)) {
      const child = below(place, from, name)
      const stats = await lstat(systemPath(child.held))
      if (stats.ino === top.ino && stats.dev === top.dev) {
        throw new Refusal('A folder cannot be copied or moved into itself.')
      }
      await copyEntry(child, join(into, name), stats, copying, top)
    }
  })
}

/**
 * Copies a directory. The owner of the target's folder could put another directory of root under the name of the copy,
 * to own that one: only an empty directory is filled, and the held one gets owner and mode (T32).
 */
async function copyDirectory(place: Place, to: string, found: Stats, copying: Copying, top?: Stats): Promise<void> {
  await mkdir(systemPath(to), 0o700)
  await inDirectory(to, async (into) => {
    const made = await stat(systemPath(into))
    if ((await namesIn(into, 1)).length > 0) {
      throw new Refusal(`The copy was replaced by another folder: ${place.path}`)
    }
    if (!top) {
      await copying.onBegun(made)
    }
    await copyBelow(place, into, copying, top ?? made)
    if (platform.files.hasModes) {
      // Until here the copy belongs to this agent, so that its later owner cannot redirect what is written below.
      const handle = await open(systemPath(platform.files.hasHeldPaths ? `${into}/.` : to), directoryFlags)
      try {
        await dress(handle, found, copying)
      } finally {
        await handle.close()
      }
    }
  })
}

async function copyEntry(place: Place, to: string, found: Stats, copying: Copying, top?: Stats): Promise<void> {
  copying.signal.throwIfAborted()
  if (found.isDirectory()) {
    await copyDirectory(place, to, found, copying, top)
    return
  }
  if (found.isSymbolicLink()) {
    await copyLink(place, to, found, copying, top === undefined)
  } else if (found.isFile()) {
    await copyFile(place, to, found, copying, top === undefined)
  } else {
    throw new Refusal(`Only files, folders and links can be copied: ${place.path}`)
  }
  copying.onFile()
}

/**
 * Copies a file, a link (never its target) or a directory to a path where nothing is. Both paths lead through held
 * directories, and no link below is followed (T08). Aborting the signal throws its reason.
 */
export async function copyTree(place: Place, to: string, copying: Copying): Promise<void> {
  await copyEntry(place, to, await lstat(systemPath(place.held)), copying)
}
