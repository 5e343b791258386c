import { constants, type Stats } from 'node:fs'
import { access, lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { chunksOf } from '../../../shared/chunks.ts'
import type { FileSystemEntryDto } from '../../../shared/dtos/file-system.ts'
import { systemPath, textOfName } from './names.ts'
import { platform } from '../../platform/index.ts'

export type Entry = z.input<typeof FileSystemEntryDto>

/** Number of entries in one stream item, and of entries read concurrently. */
export const entriesInItem = 100

/** Number of names searched for a subdirectory; beyond that the directory is assumed to have one. */
const mostSearched = 1000

/**
 * Maximum number of names in one list. All names are in memory for sorting, about 150 MB until they are sent. The
 * server lists one name less and reports that there are more.
 */
const mostNames = 200_001

export interface Named {
  name: string
  isDirectory: boolean
}

const isAllowed = (path: string, mode: number) =>
  access(systemPath(path), mode).then(
    () => true,
    () => false,
  )

/** Stats of a path's target, with links followed; undefined without a target. */
export const targetOf = (path: string): Promise<Stats | undefined> => stat(systemPath(path)).catch(() => undefined)

/** Opens a directory; names are read as bytes on systems where names are bytes. */
async function open(path: string) {
  const encoding = platform.files.namesAreBytes ? 'buffer' : 'utf8'
  // The type declarations lack this encoding.
  return await opendir(systemPath(path), { encoding: encoding as BufferEncoding, bufferSize: 1024 })
}

const textOf = (name: string | Uint8Array) => (typeof name === 'string' ? name : textOfName(name))

/** Yields the entries of a directory as the caller consumes them. Throws as `opendir`. */
export async function* entriesIn(
  path: string,
): AsyncIterable<{ name: string; isDirectory: boolean; isSettled: boolean }> {
  for await (const entry of await open(path)) {
    // False for links, and on file systems that do not report an entry's type.
    const isSettled = entry.isDirectory() || entry.isFile()
    yield { name: textOf(entry.name), isDirectory: entry.isDirectory(), isSettled }
  }
}

/**
 * Reads the first names of a directory in any order, or only names of directories; a link to a directory counts as a
 * directory. Throws as `opendir`.
 */
export async function readNames(path: string, { onlyDirectories = false } = {}): Promise<Named[]> {
  const names: Named[] = []
  const unsettled: Named[] = []
  for await (const { name, isDirectory, isSettled } of entriesIn(path)) {
    const named = { name, isDirectory }
    if (isDirectory || !isSettled || !onlyDirectories) {
      names.push(named)
    }
    if (!isSettled) {
      unsettled.push(named)
    }
    if (names.length === mostNames) {
      break
    }
  }
  for (const some of chunksOf(unsettled, entriesInItem)) {
    const targets = await Promise.all(some.map(({ name }) => targetOf(join(path, name))))
    some.forEach((named, index) => (named.isDirectory = targets[index]?.isDirectory() === true))
  }
  return onlyDirectories ? names.filter(({ isDirectory }) => isDirectory) : names
}

async function hasSubfolders(path: string): Promise<boolean> {
  try {
    let searched = 0
    for await (const { isDirectory } of entriesIn(path)) {
      searched++
      if (isDirectory || searched >= mostSearched) {
        return true
      }
    }
    return false
  } catch {
    return false
  }
}

const dateOf = ({ mtime }: Stats) => {
  const year = mtime.getUTCFullYear()
  return (year >= 0 && year <= 9999 ? mtime : new Date(0)).toISOString()
}

/**
 * Describes a file or directory for a listing; undefined if the entry no longer exists. Pipes, sockets and devices have
 * no readable content.
 */
export async function describeEntry(path: string, name: string): Promise<Entry | undefined> {
  const itself = await lstat(systemPath(path)).catch(() => undefined)
  if (!itself) {
    return undefined
  }
  const isLink = itself.isSymbolicLink()
  const target = isLink ? await targetOf(path) : itself
  const isDirectory = target?.isDirectory() === true
  const isUsable = isDirectory || target?.isFile() === true
  const [canRead, canWrite, subfolders] = await Promise.all([
    isUsable && isAllowed(path, constants.R_OK),
    isUsable && isAllowed(path, constants.W_OK),
    isDirectory && hasSubfolders(path),
  ])
  return {
    name,
    fullPath: path,
    isDirectory,
    size: target?.isFile() ? target.size : 0,
    lastModified: dateOf(target ?? itself),
    isHidden: name.startsWith('.'),
    canRead,
    canWrite,
    hasSubfolders: subfolders,
    ...(isLink && { isLink }),
  }
}
