import { join } from 'node:path'
import { describeEntry, entriesInItem, readNames, type Entry, type Named } from './entries.ts'

const textOrder = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

/** Files first, then directories, each by name in any letter case. */
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

/** A message that is larger than the server takes would cost this device its connection. */
const maxItemBytes = 500_000
const maxNameLength = 255
/** Of a control character in JSON. */
const maxCharacterBytes = 6
const otherBytes = 300

/** Entries that fit into one item whatever their names are: each has its name, and the path that ends in it. */
function countInItem(path: string): number {
  const maxEntryBytes = maxCharacterBytes * (path.length + 2 * maxNameLength) + otherBytes
  return Math.max(1, Math.min(entriesInItem, Math.floor(maxItemBytes / maxEntryBytes)))
}

/**
 * Entries of a directory, up to 100 in an item. The order asks for all names first, so only names are kept; what else is
 * told of them is read item by item.
 */
async function* describeAll(path: string, names: readonly Named[]): AsyncIterable<Entry[]> {
  const count = countInItem(path)
  for (let at = 0; at < names.length; at += count) {
    const some = names.slice(at, at + count)
    const entries = await Promise.all(some.map(({ name }) => describeEntry(join(path, name), name)))
    yield entries.filter((entry) => entry !== undefined)
  }
}

/** All entries of a directory, once it is known that it can be read. Throws as `opendir`. */
export async function listDirectory(path: string): Promise<AsyncIterable<Entry[]>> {
  return describeAll(path, sorted(await readNames(path)))
}

/** Only the directories in it. */
export async function listSubdirectories(path: string): Promise<AsyncIterable<Entry[]>> {
  return describeAll(path, sorted(await readNames(path, { onlyDirectories: true })))
}
