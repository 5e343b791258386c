import { join } from 'node:path'
import { describeEntry, entriesInItem, readNames, type Entry, type Named } from './entries.ts'
import { chunksOf } from '../../../shared/chunks.ts'

const textOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Sorts files first, then directories, each by name without regard to case. */
function sorted(names: readonly Named[]): Named[] {
  const keyed = names.map((named) => ({ named, key: named.name.toLowerCase() }))
  keyed.sort(
    (a, b) =>
      Number(a.named.isDirectory) - Number(b.named.isDirectory) ||
      textOrder(a.key, b.key) ||
      textOrder(a.named.name, b.named.name),
  )
  return keyed.map(({ named }) => named)
}

/** Limit for one item: a message above the server's limit closes the connection of this device. */
const maxItemBytes = 500_000
const maxNameLength = 255
/** Length of an escaped control character in JSON. */
const maxCharacterBytes = 6
const otherBytes = 300

/** Number of entries that fit into one item with names of any content: each entry holds its name, and its path. */
function countInItem(path: string): number {
  const maxEntryBytes = maxCharacterBytes * (path.length + 2 * maxNameLength) + otherBytes
  return Math.max(1, Math.min(entriesInItem, Math.floor(maxItemBytes / maxEntryBytes)))
}

/**
 * Yields the entries of a directory, up to 100 per item. Sorting needs all names first, so only the names stay in
 * memory; the other properties are read item by item.
 */
async function* describeAll(path: string, names: readonly Named[]): AsyncIterable<Entry[]> {
  for (const some of chunksOf(names, countInItem(path))) {
    const entries = await Promise.all(some.map(({ name }) => describeEntry(join(path, name), name)))
    yield entries.filter((entry) => entry !== undefined)
  }
}

/**
 * Lists all entries of a directory; rejects before the first item if the directory cannot be read. Throws as `opendir`.
 */
export async function listDirectory(path: string): Promise<AsyncIterable<Entry[]>> {
  return describeAll(path, sorted(await readNames(path)))
}

/** Lists only the subdirectories. */
export async function listSubdirectories(path: string): Promise<AsyncIterable<Entry[]>> {
  return describeAll(path, sorted(await readNames(path, { onlyDirectories: true })))
}
