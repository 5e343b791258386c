import { createHash } from 'node:crypto'
import { constants, type Stats } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import { parse } from 'node:path'
import type { FileFactsDto } from '../../../shared/dtos/file-messages.ts'
import { platform } from '../../platform/index.ts'
import { absolutePath, systemPath, textOfName } from './names.ts'
import { readFile } from './reading.ts'
import { notThere, Refusal } from './reasons.ts'
import { inHeldParent } from './trees.ts'

const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)
const permissionBits = 0o777

const kindOf = (stats: Stats): FileFactsDto['kind'] =>
  stats.isFile() ? 'file' : stats.isDirectory() ? 'directory' : stats.isSymbolicLink() ? 'link' : 'other'

/** Undefined where the file system gives no usable date. */
const dateOf = (date: Date) => (date.getTime() > 0 ? date.toISOString() : undefined)

async function sha256Of(path: string, stats: Stats, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of readFile(path, stats, Infinity)) {
    signal?.throwIfAborted()
    hash.update(block)
  }
  return hash.digest('hex')
}

async function linkTarget(path: string): Promise<string> {
  return textOfName(await readlink(systemPath(path), { encoding: 'buffer' }))
}

function resolved(target: string): string {
  const path = absolutePath(target)
  if (path === undefined) {
    throw new Refusal(notThere)
  }
  return path.length > parse(path).root.length ? path.replace(/[/\\]+$/, '') : path
}

interface Wanted {
  isHashWanted: boolean
  /** Ends the reading of the file, with its reason. */
  signal?: AbortSignal
}

/** Describes a file, a directory or a link itself. Throws `Refusal`, or as the file system does. */
export async function propertiesOf(target: string, { isHashWanted, signal }: Wanted): Promise<FileFactsDto> {
  const path = resolved(target)
  const stats = await lstat(systemPath(path))
  const kind = kindOf(stats)
  const owners = await platform.files.ownerNames?.(stats)
  return {
    kind,
    size: stats.isFile() ? stats.size : 0,
    createdAt: dateOf(stats.birthtime),
    modifiedAt: dateOf(stats.mtime),
    accessedAt: dateOf(stats.atime),
    ...(platform.files.hasModes && { mode: stats.mode & 0o7777 }),
    ...owners,
    ...(kind === 'link' && { linkTarget: await linkTarget(path) }),
    ...(isHashWanted && kind === 'file' && { sha256: await sha256Of(path, stats, signal) }),
  }
}

/** Changes the permission bits of a file or a directory, never through a link. Special bits are removed. */
export async function setMode(target: string, mode: number): Promise<void> {
  if (!platform.files.hasModes) {
    throw new Refusal('This system has no permission bits.')
  }
  await inHeldParent(resolved(target), async (held) => {
    if ((await lstat(systemPath(held))).isSymbolicLink()) {
      throw new Refusal('A link has no permissions of its own.')
    }
    const handle = await open(systemPath(held), openFlags)
    try {
      await handle.chmod(mode & permissionBits)
    } finally {
      await handle.close()
    }
  })
}
