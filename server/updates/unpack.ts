import { createReadStream } from 'node:fs'
import { mkdir, open, symlink } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { createGunzip } from 'node:zlib'
import { UpdateProblem } from './problem.ts'

const blockBytes = 512
/** Bounds of a package, far above a real one: a few thousand files, 400 MB. */
const mostEntries = 50_000
const mostBytes = 4 * 1024 ** 3

const damaged = (why: string) => new UpdateProblem(`The package cannot be unpacked: ${why}. Nothing was changed.`)

/** Reads exact numbers of bytes from a stream of chunks. */
class ByteSource {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array()

  constructor(stream: AsyncIterable<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]()
  }

  /** Next bytes, at most `most`; undefined at the end. */
  async some(most: number): Promise<Uint8Array | undefined> {
    while (this.#rest.length === 0) {
      const { done, value } = await this.#chunks.next()
      if (done) {
        return undefined
      }
      this.#rest = value
    }
    const bytes = this.#rest.subarray(0, most)
    this.#rest = this.#rest.subarray(bytes.length)
    return bytes
  }

  async exactly(count: number): Promise<Buffer | undefined> {
    const parts: Uint8Array[] = []
    for (let left = count; left > 0;) {
      const part = await this.some(left)
      if (!part) {
        return undefined
      }
      parts.push(part)
      left -= part.length
    }
    return Buffer.concat(parts)
  }
}

interface Entry {
  name: string
  bytes: number
  isProgram: boolean
  /** Target of a symbolic link. */
  target: string | undefined
}

const textAt = (header: Buffer, start: number, length: number) => {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? length : end).toString('utf8')
}

/** Parses the header of a regular file or a symbolic link (POSIX ustar); our packages have no other entries. */
function entryOf(header: Buffer, { hasLinks }: UnpackOptions): Entry {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (Number.parseInt(textAt(header, 148, 8), 8) !== sum) {
    throw damaged('a header of the archive is damaged')
  }
  const prefix = textAt(header, 345, 155)
  const name = prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`
  const type = textAt(header, 156, 1)
  if (type !== '0' && !(hasLinks && type === '2')) {
    throw damaged(`${JSON.stringify(name.slice(0, 200))} is no regular file`)
  }
  const bytes = Number.parseInt(textAt(header, 124, 12), 8)
  const mode = Number.parseInt(textAt(header, 100, 8), 8)
  return { name, bytes, isProgram: (mode & 0o100) !== 0, target: type === '2' ? textAt(header, 157, 100) : undefined }
}

/** Path below the target; rejects names that leave it (T08). */
function relativePath(name: string, prefix: string): string | undefined {
  const parts = name.split('/')
  if (/[\\:\0]/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw damaged(`${JSON.stringify(name.slice(0, 200))} is no path of a package`)
  }
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
}

/** Creates a link; rejects a target outside of the unpacked folder. */
async function createLink(folder: string, path: string, target: string) {
  if (isAbsolute(target) || target === '' || normalize(join(dirname(path), target)).split(/[\\/]/)[0] === '..') {
    throw damaged(`the link ${JSON.stringify(path)} leads out of it`)
  }
  await symlink(target, join(folder, path))
}

interface UnpackOptions {
  signal: AbortSignal
  /** Whether the archive may contain symbolic links, as bundles of macOS do. */
  hasLinks?: boolean
}

async function writeEntry(source: ByteSource, file: string, { bytes, isProgram }: Entry) {
  await mkdir(dirname(file), { recursive: true, mode: 0o755 })
  await using target = await open(file, 'wx', isProgram ? 0o755 : 0o644)
  for (let left = bytes; left > 0;) {
    const part = await source.some(left)
    if (!part) {
      throw damaged('it ends early')
    }
    await target.writeFile(part)
    left -= part.length
  }
  await target.sync()
}

/**
 * Unpacks the entries below `prefix` of a tar.gz into a new folder. Regular files with relative names only, and links if
 * `hasLinks`; the caller verified the hash of the archive.
 */
export async function unpack(archive: string, prefix: string, folder: string, options: UnpackOptions): Promise<void> {
  const gunzip = createGunzip()
  const stream = createReadStream(archive)
  stream.on('error', (error) => gunzip.destroy(error))
  const source = new ByteSource(stream.pipe(gunzip) as AsyncIterable<Uint8Array>)
  const links: [string, string][] = []
  try {
    await mkdir(folder, { mode: 0o755 })
    let total = 0
    for (let entries = 0; ; entries++) {
      options.signal.throwIfAborted()
      const header = await source.exactly(blockBytes)
      if (!header) {
        throw damaged('it ends early')
      }
      if (header.every((byte) => byte === 0)) {
        break
      }
      const entry = entryOf(header, options)
      total += entry.bytes
      if (!(entry.bytes >= 0) || entries >= mostEntries || total > mostBytes) {
        throw damaged('it is larger than a package can be')
      }
      const path = relativePath(entry.name, prefix)
      if (path === undefined) {
        await source.exactly(entry.bytes)
      } else if (entry.target === undefined) {
        await writeEntry(source, join(folder, path), entry)
      } else {
        links.push([path, entry.target])
      }
      await source.exactly((blockBytes - (entry.bytes % blockBytes)) % blockBytes)
    }
    // After all files, so that no file is written through a link.
    for (const [path, target] of links) {
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o755 })
      await createLink(folder, path, target)
    }
  } finally {
    stream.destroy()
    gunzip.destroy()
  }
}
