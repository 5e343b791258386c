import { createReadStream } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
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
}

const textAt = (header: Buffer, start: number, length: number) => {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.subarray(0, end < 0 ? length : end).toString('utf8')
}

/** Parses the header of a regular file (POSIX ustar), the only kind of entry that our packages have. */
function entryOf(header: Buffer): Entry {
  const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 32 : byte), 0)
  if (Number.parseInt(textAt(header, 148, 8), 8) !== sum) {
    throw damaged('a header of the archive is damaged')
  }
  const prefix = textAt(header, 345, 155)
  const name = prefix === '' ? textAt(header, 0, 100) : `${prefix}/${textAt(header, 0, 100)}`
  if (textAt(header, 156, 1) !== '0') {
    throw damaged(`${JSON.stringify(name.slice(0, 200))} is no regular file`)
  }
  const bytes = Number.parseInt(textAt(header, 124, 12), 8)
  const mode = Number.parseInt(textAt(header, 100, 8), 8)
  return { name, bytes, isProgram: (mode & 0o100) !== 0 }
}

/** Path below the target; rejects names that leave it (T08). */
function relativePath(name: string, prefix: string): string | undefined {
  const parts = name.split('/')
  if (/[\\:\0]/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..')) {
    throw damaged(`${JSON.stringify(name.slice(0, 200))} is no path of a package`)
  }
  return name.startsWith(prefix) ? name.slice(prefix.length) : undefined
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
 * Unpacks the entries below `prefix` of a tar.gz into a new folder. Regular files with relative names only; the caller
 * verified the hash of the archive.
 */
export async function unpack(archive: string, prefix: string, folder: string, signal: AbortSignal): Promise<void> {
  const gunzip = createGunzip()
  const stream = createReadStream(archive)
  stream.on('error', (error) => gunzip.destroy(error))
  const source = new ByteSource(stream.pipe(gunzip) as AsyncIterable<Uint8Array>)
  try {
    await mkdir(folder, { mode: 0o755 })
    let total = 0
    for (let entries = 0; ; entries++) {
      signal.throwIfAborted()
      const header = await source.exactly(blockBytes)
      if (!header) {
        throw damaged('it ends early')
      }
      if (header.every((byte) => byte === 0)) {
        return
      }
      const entry = entryOf(header)
      total += entry.bytes
      if (!(entry.bytes >= 0) || entries >= mostEntries || total > mostBytes) {
        throw damaged('it is larger than a package can be')
      }
      const path = relativePath(entry.name, prefix)
      if (path === undefined) {
        await source.exactly(entry.bytes)
      } else {
        await writeEntry(source, join(folder, path), entry)
      }
      await source.exactly((blockBytes - (entry.bytes % blockBytes)) % blockBytes)
    }
  } finally {
    stream.destroy()
    gunzip.destroy()
  }
}
