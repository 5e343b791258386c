import { createHash } from 'node:crypto'
import type { Stats } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { basename } from 'node:path'
import { archiveSource } from './archive.ts'
import { systemPath } from './names.ts'
import { findTarget, readFile, type Source } from './reading.ts'

/** Requested part of a file: from `offset` on, if the file still matches `etag`. */
export interface Wanted {
  offset?: number | undefined
  etag?: string | undefined
  isFileDigestWanted?: boolean | undefined
}

/** Page size of systems. */
const longestPseudoFile = 64 * 1024

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
  const { path, stats } = await findTarget(target)
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
