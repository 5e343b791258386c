import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, lstat, open, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { safeFileName } from '../../../shared/safe-file-names.ts'
import { targetOf } from './entries.ts'
import { absolutePath, systemPath } from './names.ts'
import { notThere, reasonOf, Refusal } from './reasons.ts'
import { inDirectory, namesIn } from './trees.ts'
import { LeftOut } from './left-out.ts'
import { zip, zipSize, type ZipEntry } from './zip.ts'

/** Bytes to send, with a size known before the first read. */
export interface Source {
  name: string
  size: number
  bytes: AsyncIterable<Uint8Array>
  /** Entity tag of a file's content, valid unless the file's times are set back. */
  etag?: string
  /** Digest of the whole file, if requested. */
  sha256?: string
  /** Offset of the first byte in `bytes`; 0 by default. */
  offset?: number
}

/** Requested part of a file: from `offset` on, if the file still matches `etag`. */
export interface Wanted {
  offset?: number | undefined
  etag?: string | undefined
  isFileDigestWanted?: boolean | undefined
}

const blockBytes = 32 * 30_720
/** Page size of systems. */
const longestPseudoFile = 64 * 1024
/** Maximum number of entries in an archive: entries stay in memory until the end, about 500 bytes each. */
const mostEntries = 200_000
/** Maximum path length: longer paths cannot be opened, and the paths of a very deep tree would fill the memory. */
const longestPath = 4095
const shownOfPath = 200
const lookedAtTogether = 64

/** Flags for opening without blocking: a pipe in the place of a file must not block the agent. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

type Identity = Pick<Stats, 'dev' | 'ino'>

/** Reads up to `size` bytes (all with an infinite size) of the file with this identity, starting at `offset`. */
async function* readFile(path: string, { dev, ino }: Identity, size: number, offset = 0): AsyncIterable<Uint8Array> {
  const handle = await open(systemPath(path), readFlags)
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.ino !== ino || found.dev !== dev) {
      throw new Refusal(`${path} was replaced by another file.`)
    }
    yield* blocks(handle, offset, size)
  } finally {
    await handle.close()
  }
}

async function* blocks(handle: FileHandle, offset: number, size: number): AsyncIterable<Uint8Array> {
  const block = Buffer.allocUnsafe(Math.min(blockBytes, size))
  for (let position = offset; position < size;) {
    const { bytesRead } = await handle.read(block, 0, Math.min(block.length, size - position), position)
    if (bytesRead === 0 && size === Infinity) {
      return
    }
    if (bytesRead === 0) {
      throw new Refusal('The file was truncated while it was read.')
    }
    // The consumer copies the block before the next read.
    yield block.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** Makes one part of a path in an archive as safe as the name of a single download (T18). */
const entryName = (name: string) => safeFileName(name.replace(/[\\/]/g, '_'))

/** Names of one folder, each with the last tried number, so that equal names are not counted from the start again. */
type Taken = Map<string, number>

/** Returns `name`, or a name with ` (2)` and so on before the extension if the name is taken. */
function unique(taken: Taken, name: string): string {
  const dot = name.lastIndexOf('.')
  const [stem, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  let free = name
  for (let number = (taken.get(name) ?? 0) + 1; taken.has(free); number++) {
    free = `${stem} (${number})${ending}`
    taken.set(name, number)
  }
  taken.set(free, 1)
  return free
}

interface Found {
  /** Path on disk, as shown to people. */
  path: string
  /** Path through a held directory, which no user can redirect. */
  held: string
  /** Path in the archive. */
  name: string
  stats: Stats
}

/** Checks readability in advance: an unreadable file would abort the archive in the middle. */
async function mustBeReadable({ held, path }: Found) {
  try {
    await access(systemPath(held), constants.R_OK)
  } catch (error) {
    throw new Refusal(reasonOf(error, path))
  }
}

const tooMany = () => new Refusal(`An archive can contain at most ${mostEntries} files.`)

/** Contents of an archive before its creation. */
interface Plan {
  entries: ZipEntry[]
  leftOut: LeftOut
}

/** Adds a readable file or directory with its descendants. Links, pipes, sockets and devices below are left out. */
async function addTree(plan: Plan, found: Found): Promise<void> {
  const { entries, leftOut } = plan
  const { path, held, name, stats } = found
  if (entries.length >= mostEntries) {
    throw tooMany()
  }
  if (path.length > longestPath) {
    throw new Refusal(`The path is too long: ${path.slice(0, shownOfPath)}…`)
  }
  const { mtime: modified, mode, size, dev, ino } = stats
  if (stats.isFile()) {
    entries.push({ modified, mode, name, size, ...(size > 0 && { content: () => readFile(path, { dev, ino }, size) }) })
    return
  }
  entries.push({ modified, mode, name: `${name}/`, size: 0 })
  await inDirectory(held, async (directory) => {
    const taken: Taken = new Map()
    const room = mostEntries - entries.length
    const children = (await namesIn(directory, room + 1)).toSorted()
    if (children.length > room) {
      throw tooMany()
    }
    for (let at = 0; at < children.length; at += lookedAtTogether) {
      const some = children.slice(at, at + lookedAtTogether)
      const looks = await Promise.all(
        some.map((child) => lstat(systemPath(join(directory, child))).catch(() => undefined)),
      )
      const found: Found[] = []
      for (const [index, child] of some.entries()) {
        const below = looks[index]
        const place = join(directory, child)
        if (below?.isFile() || below?.isDirectory()) {
          const nameBelow = `${name}/${unique(taken, entryName(child))}`
          found.push({ path: join(path, child), held: place, name: nameBelow, stats: below })
        } else if (below) {
          await leftOut.add(`${name}/${entryName(child)}`, place, below)
        }
      }
      await Promise.all(found.map(mustBeReadable))
      for (const child of found) {
        await addTree(plan, child)
      }
    }
  })
}

/** Resolves a requested target, which may itself be a link. */
async function find(target: string): Promise<{ path: string; stats: Stats }> {
  const path = absolutePath(target)
  const stats = path === undefined ? undefined : await targetOf(path)
  if (path === undefined || !stats) {
    throw new Refusal(notThere)
  }
  if (!stats.isFile() && !stats.isDirectory()) {
    throw new Refusal('Only files and directories can be sent.')
  }
  return { path: path.length > 1 ? path.replace(/[/\\]+$/, '') : path, stats }
}

/** Adds a requested path with its descendants. */
async function addTarget(plan: Plan, target: string, taken: Taken): Promise<void> {
  const { path, stats } = await find(target)
  const name = unique(taken, entryName(basename(path) || 'root'))
  // The dot also follows a link to a directory.
  const top = { path, held: stats.isDirectory() ? `${path}/.` : path, name, stats }
  await mustBeReadable(top)
  await addTree(plan, top)
}

const etagOf = ({ size, mtimeMs, ino }: Stats) => `${size}-${mtimeMs}-${ino}`

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of bytes) {
    hash.update(block)
  }
  return hash.digest('hex')
}

/** Returns a file unchanged, and a directory as a zip. Throws `Refusal`, or as the file system does. */
export async function sourceOf(target: string, wanted: Wanted = {}): Promise<Source> {
  const { path, stats } = await find(target)
  if (stats.isDirectory()) {
    return await archiveSource(`${basename(path) || 'root'}.zip`, [path])
  }
  await access(systemPath(path), constants.R_OK)
  const { size } = stats
  if (size === 0 || (stats.blocks === 0 && size <= longestPseudoFile)) {
    // Files below /proc report size 0, those below /sys a page, whatever they contain.
    return { name: basename(path), size: 0, bytes: readFile(path, stats, Infinity) }
  }
  const etag = etagOf(stats)
  const { offset = 0, isFileDigestWanted = false } = wanted
  const isRest = offset > 0 && offset < size && (wanted.etag ?? etag) === etag
  return {
    name: basename(path),
    size,
    etag,
    bytes: readFile(path, stats, size, isRest ? offset : 0),
    ...(isRest && { offset }),
    ...(isFileDigestWanted && { sha256: await digestOf(readFile(path, stats, size)) }),
  }
}

/** Returns one zip of all targets. Throws `Refusal`, or as the file system does. */
export async function archiveSource(name: string, targets: readonly string[]): Promise<Source> {
  if (targets.length === 0) {
    throw new Refusal('At least one target path is required')
  }
  const entries: ZipEntry[] = []
  const leftOut = new LeftOut()
  const taken: Taken = new Map()
  for (const target of targets) {
    try {
      await addTarget({ entries, leftOut }, target, taken)
    } catch (error) {
      throw error instanceof Refusal && error.message === notThere ? new Refusal(`${notThere}: ${target}`) : error
    }
  }
  if (leftOut.count > 0) {
    entries.push(leftOut.entry(unique(taken, 'Not in this archive.txt')))
  }
  return { name, size: zipSize(entries), bytes: zip(entries) }
}
