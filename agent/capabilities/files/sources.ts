import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { access, lstat, open, type FileHandle } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { withoutMisleading } from '../../../shared/safe-file-names.ts'
import { targetOf } from './entries.ts'
import { absolutePath, systemPath } from './names.ts'
import { notThere, reasonOf, Refusal } from './reasons.ts'
import { inDirectory, namesIn } from './trees.ts'
import { LeftOut } from './left-out.ts'
import { zip, zipSize, type ZipEntry } from './zip.ts'

/** Bytes that can be sent: their number is known before the first is read. */
export interface Source {
  name: string
  size: number
  bytes: AsyncIterable<Uint8Array>
  /** Of a file: names its content, as long as nobody sets its times back. */
  etag?: string
  /** Of the whole file, when it was wanted. */
  sha256?: string
  /** Where `bytes` begin, when not at the beginning. */
  offset?: number
}

/** The part of a file that is wanted: from `offset` on, if it is still the one that `etag` names. */
export interface Wanted {
  offset?: number | undefined
  etag?: string | undefined
  isFileDigestWanted?: boolean | undefined
}

const blockBytes = 32 * 30_720
/** Entries of an archive are held in memory until its end, about 500 bytes each. */
const mostEntries = 200_000
/** Nothing is read by a longer path, and those of a tree that a user has made very deep would fill the memory. */
const longestPath = 4095
const shownOfPath = 200
const lookedAtTogether = 64

/** A pipe that was put in the place of a file must not hold up the agent, so opening never waits. */
const readFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

type Identity = Pick<Stats, 'dev' | 'ino'>

/**
 * The first `size` bytes, or with an infinite size all, of the file that has this identity, without those before `offset`.
 */
async function* readFile(path: string, { dev, ino }: Identity, size: number, offset = 0): AsyncIterable<Uint8Array> {
  const handle = await open(systemPath(path), readFlags)
  try {
    const found = await handle.stat()
    if (!found.isFile() || found.ino !== ino || found.dev !== dev) {
      throw new Refusal(`Another file was put in the place of ${path}.`)
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
      throw new Refusal('The file has become shorter while it was read.')
    }
    // Whoever takes it has copied it before the next is read.
    yield block.subarray(0, bytesRead)
    position += bytesRead
  }
}

/** A name as part of an archive: nothing in it is a separator or a drive to any system that unpacks it. */
const entryName = (name: string) =>
  withoutMisleading(name.replace(/[\\\u0000-\u001f]/g, '_').replace(/^([A-Za-z]):/, '$1_'))

/** Names of one folder, each with the number that was tried last for it: equal names are not counted through again. */
type Taken = Map<string, number>

/** `name`, or with ` (2)` and so on before its ending when it is taken. */
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
  /** Where it is, as people name it. */
  path: string
  /** The same by a way that nobody can turn elsewhere meanwhile. */
  held: string
  /** In the archive. */
  name: string
  stats: Stats
}

/** A file that could not be read would break the archive off in the middle, so that is found out before it begins. */
async function mustBeReadable({ held, path }: Found) {
  try {
    await access(systemPath(held), constants.R_OK)
  } catch (error) {
    throw new Refusal(reasonOf(error, path))
  }
}

const tooMany = () => new Refusal(`More than ${mostEntries} files do not go into one archive.`)

/** An archive before it is made. */
interface Plan {
  entries: ZipEntry[]
  leftOut: LeftOut
}

/** Adds what was found, which is readable, and all below it. Links, pipes, sockets and devices below it are left out. */
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

/** What was named itself may be a link: that was looked at by whoever named it. */
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

/** Adds what a path names, and all below it. */
async function addTarget(plan: Plan, target: string, taken: Taken): Promise<void> {
  const { path, stats } = await find(target)
  const name = unique(taken, entryName(basename(path)) || 'root')
  // The dot leads into a directory also where `path` is a link to it.
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

/** A file as it is, a directory as a zip. Throws `Refusal`, or as the file system does. */
export async function sourceOf(target: string, wanted: Wanted = {}): Promise<Source> {
  const { path, stats } = await find(target)
  if (stats.isDirectory()) {
    return await archiveSource(`${basename(path) || 'root'}.zip`, [path])
  }
  await access(systemPath(path), constants.R_OK)
  const { size } = stats
  if (size === 0) {
    // Files below /proc say so too.
    return { name: basename(path), size, bytes: readFile(path, stats, Infinity) }
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

/** One zip of all targets. Throws `Refusal`, or as the file system does. */
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
