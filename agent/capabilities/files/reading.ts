import { constants, type Stats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { targetOf } from './entries.ts'
import { absolutePath, systemPath } from './names.ts'
import { notThere, Refusal } from './reasons.ts'

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

const blockBytes = 32 * 30_720

/** Flags for opening without blocking: a pipe in the place of a file must not block the agent. */
export const readFlags: number = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

type Identity = Pick<Stats, 'dev' | 'ino'>

export const isSame = (one: Identity, other: Identity): boolean => one.ino === other.ino && one.dev === other.dev

/** Reads up to `size` bytes (all with an infinite size) of the file with this identity, starting at `offset`. */
export async function* readFile(
  path: string,
  { dev, ino }: Identity,
  size: number,
  offset = 0,
): AsyncIterable<Uint8Array> {
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

/** Resolves a requested target, which may itself be a link. */
export async function findTarget(target: string): Promise<{ path: string; stats: Stats }> {
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
