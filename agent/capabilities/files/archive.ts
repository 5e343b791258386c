import type { Stats } from 'node:fs'
import { access, constants, lstat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { chunksOf } from '../../../shared/chunks.ts'
import { safeFileName } from '../../../shared/safe-file-names.ts'
import { LeftOut } from './left-out-list.ts'
import { systemPath } from './names.ts'
import { findTarget, readFile, type Source } from './reading.ts'
import { notThere, reasonOf, Refusal } from './reasons.ts'
import { inDirectory, namesIn } from './trees.ts'
import { zip, zipSize, type ZipEntry } from './zip-format.ts'

/** Maximum number of entries in an archive: entries stay in memory until the end, about 500 bytes each. */
const mostEntries = 200_000
/** Maximum path length: longer paths cannot be opened, and the paths of a very deep tree would fill the memory. */
const longestPath = 4095
const shownOfPath = 200
const lookedAtTogether = 64

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
    for (const some of chunksOf(children, lookedAtTogether)) {
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

async function addTarget(plan: Plan, target: string, taken: Taken): Promise<void> {
  const { path, stats } = await findTarget(target)
  const name = unique(taken, entryName(basename(path) || 'root'))
  // The dot also follows a link to a directory.
  const top = { path, held: stats.isDirectory() ? `${path}/.` : path, name, stats }
  await mustBeReadable(top)
  await addTree(plan, top)
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
