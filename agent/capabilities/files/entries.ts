import { constants, type Stats } from 'node:fs'
import { access, lstat, opendir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import type { FileSystemEntryDto } from '../../../shared/dtos/file-system.ts'
import { systemPath, textOfName } from './names.ts'

export type Entry = z.input<typeof FileSystemEntryDto>

/** Entries of one item of a stream, and how many are looked at together. */
export const entriesInItem = 100

/** Names looked at to find out whether a directory has directories in it; beyond that it is taken for granted. */
const mostSearched = 1000

/**
 * Names in one list; they are sorted, so all of them are in memory, some 150 MB while they are sent. The server lists one
 * less and says that there are more.
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

/** What a path leads to, links followed; undefined where it leads nowhere. */
export const targetOf = (path: string): Promise<Stats | undefined> => stat(systemPath(path)).catch(() => undefined)

/** Opens a directory whose names come as bytes where names are bytes. */
async function open(path: string) {
  const encoding = process.platform === 'linux' ? 'buffer' : 'utf8'
  // The types know no bytes here.
  return await opendir(systemPath(path), { encoding: encoding as BufferEncoding, bufferSize: 1024 })
}

const textOf = (name: string | Uint8Array) => (typeof name === 'string' ? name : textOfName(name))

/** What is in a directory, read as it is taken. Throws as `opendir`. */
export async function* entriesIn(
  path: string,
): AsyncIterable<{ name: string; isDirectory: boolean; isSettled: boolean }> {
  for await (const entry of await open(path)) {
    // Links, and file systems that do not tell in the directory what a name is.
    const isSettled = entry.isDirectory() || entry.isFile()
    yield { name: textOf(entry.name), isDirectory: entry.isDirectory(), isSettled }
  }
}

/**
 * The first names in a directory in any order, or only those of directories; links that lead to directories count as such.
 * Throws as `opendir`.
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
  for (let at = 0; at < unsettled.length; at += entriesInItem) {
    const some = unsettled.slice(at, at + entriesInItem)
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

/** A file or directory as it is listed; undefined when it is gone. Pipes, sockets and devices have nothing to read. */
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
