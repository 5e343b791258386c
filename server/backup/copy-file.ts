import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { z } from 'zod'
import { flushFolder } from '../ground/system.ts'
import { BackupError, explainAt } from './backup-error.ts'
import { decryptChunks, encryptChunks } from './cipher.ts'
import { readHeader, writeHeader, type Header } from './header.ts'

/** A file of a copy: its content, or the path of a file that has it. */
export interface Entry {
  name: string
  content: Buffer | { path: string }
}

const Manifest = z.object({
  files: z.array(z.object({ name: z.string().regex(/^[\w.-]{1,100}$/), bytes: z.int().nonnegative() })).max(20),
})

const lengthBytes = 4
const maxManifestBytes = 64 * 1024

/** Ending of a copy that is being written. */
export const partialEnding = '.partial'

/** Flushes a folder, so that a rename in it survives a power cut. Not every network share can do so. */
export const syncFolder = (path: string): Promise<void> => flushFolder(path).catch(() => {})

const sizeOfEntry = async ({ content }: Entry) =>
  Buffer.isBuffer(content) ? content.length : (await stat(content.path)).size

/** Sizes of the entries, and the bytes of all. */
export async function measure(entries: readonly Entry[]) {
  const files = await Promise.all(entries.map(async (entry) => ({ name: entry.name, bytes: await sizeOfEntry(entry) })))
  return { files, contentBytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
}

async function* plainContent(entries: readonly Entry[], files: z.input<typeof Manifest>['files']) {
  const manifest = Buffer.from(JSON.stringify({ files }))
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32BE(manifest.length)
  yield Buffer.concat([length, manifest])
  for (const { content } of entries) {
    if (Buffer.isBuffer(content)) {
      yield content
    } else {
      yield* createReadStream(content.path) as AsyncIterable<Buffer>
    }
  }
}

/**
 * Writes a copy. The file appears under its name once it is complete and flushed: a process that is killed leaves a
 * partial file at most. Returns its size.
 */
export async function writeCopy(
  path: string,
  header: Header,
  entries: readonly Entry[],
  fileKey: Buffer,
): Promise<number> {
  const partial = path + partialEnding
  const head = writeHeader(header)
  const { files } = await measure(entries)
  try {
    {
      await using file = await open(partial, 'wx', 0o600)
      await file.writeFile(head)
      await pipeline(
        plainContent(entries, files),
        createGzip({ level: 1 }),
        (source: AsyncIterable<Buffer>) => encryptChunks(source, fileKey, head),
        (source: AsyncIterable<Buffer>) => file.writeFile(source),
      )
      await file.sync()
    }
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    throw explainAt(`The folder ${dirname(path)}`, error)
  }
  await syncFolder(dirname(path))
  return (await stat(path)).size
}

const damaged = (path: string) => new BackupError(`The backup ${path} is damaged or cut off. Take another copy.`)

/** Reads decrypted bytes by length. */
class Reader {
  readonly #source: AsyncIterator<Buffer>
  #held = Buffer.alloc(0)

  constructor(source: AsyncIterable<Buffer>) {
    this.#source = source[Symbol.asyncIterator]()
  }

  /** Yields exactly `length` bytes; throws at an early end. */
  async *take(length: number): AsyncGenerator<Buffer> {
    for (let left = length; left > 0;) {
      if (this.#held.length === 0) {
        const { done, value } = await this.#source.next()
        if (done) {
          throw new Error('The content ends early.')
        }
        this.#held = value as Buffer<ArrayBuffer>
      }
      const part = this.#held.subarray(0, left)
      this.#held = this.#held.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  async read(length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of this.take(length)) {
      parts.push(part)
    }
    return Buffer.concat(parts)
  }

  /** Reads to the end, which checks the last chunk. Throws for further bytes. */
  async end(): Promise<void> {
    if (this.#held.length > 0 || (await this.#source.next()).done !== true) {
      throw new Error('The content is longer than its manifest says.')
    }
  }
}

async function extract(source: AsyncIterable<Buffer>, folder: string, maxBytes: number): Promise<string[]> {
  const reader = new Reader(source)
  const length = (await reader.read(lengthBytes)).readUInt32BE()
  if (length > maxManifestBytes) {
    throw new Error('The manifest is too long.')
  }
  const { files } = Manifest.parse(JSON.parse((await reader.read(length)).toString()))
  if (files.reduce((sum, { bytes }) => sum + bytes, 0) > maxBytes) {
    throw new Error('The content is longer than its header says.')
  }
  for (const { name, bytes } of files) {
    await using file = await open(join(folder, name), 'wx', 0o600)
    await file.writeFile(reader.take(bytes))
    await file.sync()
  }
  await reader.end()
  return files.map(({ name }) => name)
}

/** The encrypted part of a copy. */
const chunksOf = (path: string, start: number) => createReadStream(path, { start, highWaterMark: 256 * 1024 })

const isOfDisk = (error: unknown) => error instanceof Error && 'syscall' in error

/**
 * Decrypts a copy into a new folder, with a key that `keyOf` gets from its header. Throws a `BackupError` for a copy
 * that is damaged anywhere; what was extracted before then stays in the folder, which the caller removes.
 */
export async function readCopy(path: string, folder: string, keyOf: (header: Header) => Buffer) {
  await using file = await openCopy(path)
  const { header, bytes } = await readHeader(file, path)
  const fileKey = keyOf(header)
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    let names: string[] = []
    await pipeline(
      chunksOf(path, bytes.length),
      (source: AsyncIterable<Buffer>) => decryptChunks(source, fileKey, bytes),
      createGunzip(),
      async (source: AsyncIterable<Buffer>) => {
        names = await extract(source, folder, header.contentBytes)
      },
    )
    return { header, names }
  } catch (error) {
    throw isOfDisk(error) ? explainAt(`The folder ${folder}`, error) : damaged(path)
  }
}

/** Reads the header of a copy, and checks that `keyOf` accepts it. */
export async function readCopyHeader(path: string, keyOf: (header: Header) => Buffer): Promise<Header> {
  await using file = await openCopy(path)
  const { header } = await readHeader(file, path)
  keyOf(header)
  return header
}

async function openCopy(path: string): Promise<FileHandle> {
  try {
    // A pipe without a writer would block a thread of the process.
    if ((await stat(path)).isFile()) {
      return await open(path, 'r')
    }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    throw new BackupError(
      code === 'ENOENT' ? `There is no file ${path}.` : `${path} cannot be opened (${String(code)}).`,
      { cause: error },
    )
  }
  throw new BackupError(`${path} is no file. Name the file of a backup.`)
}
