import { crc32 } from 'node:zlib'

interface Entry {
  size: number
  content?: () => AsyncIterable<Uint8Array>
}

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Largest content that is read ahead. */
const smallBytes = 64 * 1024
/** Contents that are read at the same time: each alone would wait for the disk as often as there are files. */
const readTogether = 16

async function collect(content: AsyncIterable<Uint8Array>): Promise<Content> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) {
    // The source reads into the same buffer again.
    chunks.push(Uint8Array.from(chunk))
  }
  return chunks
}

/** Starts reading a small content; the consumer reads a large one itself. */
async function begin({ size, content }: Entry): Promise<Content> {
  return content === undefined ? [] : size <= smallBytes ? await collect(content()) : content()
}

/** Yields entries with their contents, in their order. Throws where a content cannot be read, once it is next. */
async function* withContents<E extends Entry>(entries: readonly E[]): AsyncIterable<[E, Content]> {
  const ahead: Promise<Content>[] = []
  for (const [index, entry] of entries.entries()) {
    while (ahead.length < readTogether && index + ahead.length < entries.length) {
      const content = begin(entries[index + ahead.length]!)
      content.catch(() => {})
      ahead.push(content)
    }
    yield [entry, await ahead.shift()!]
  }
}

/** File or directory of an archive, with a size known before its content is read. */
export interface ZipEntry {
  /** Relative path with `/` between names; a directory's path ends with a slash. */
  name: string
  /** Exact number of bytes that `content` yields. */
  size: number
  modified: Date
  /** Permission bits of the file. */
  mode: number
  content?: () => AsyncIterable<Uint8Array>
}

const most16 = 0xffff
const most32 = 0xffffffff
/** Bit flags: names are UTF-8; sizes and checksum follow the data. */
const flags = 0x0808
const plainVersion = 20
const largeVersion = 45
const madeOnUnix = 3 << 8
const regularFile = 0o100000
const directory = 0o040000
const dosDirectory = 0x10

const isLarge = ({ size }: ZipEntry) => size >= most32

/** Encodes little-endian numbers, each with its width in bytes. */
function record(...fields: readonly (readonly [value: number, width: 2 | 4 | 8])[]): Buffer {
  const bytes = Buffer.alloc(fields.reduce((sum, [, width]) => sum + width, 0))
  let at = 0
  for (const [value, width] of fields) {
    if (width === 8) {
      bytes.writeBigUInt64LE(BigInt(value), at)
    } else {
      bytes.writeUIntLE(value, at, width)
    }
    at += width
  }
  return bytes
}

/** MS-DOS date and time, in the device's time zone. */
function dosTime(date: Date): readonly [time: number, date: number] {
  const year = Math.min(Math.max(date.getFullYear(), 1980), 2107)
  const time = (date.getHours() << 11) | (date.getMinutes() << 5) | (date.getSeconds() >> 1)
  return [time, ((year - 1980) << 9) | ((date.getMonth() + 1) << 5) | date.getDate()]
}

/** Extra field with the modification time in seconds since 1970 (UTC), which newer programs prefer. */
function timeExtra(modified: Date): Buffer {
  const seconds = Math.min(Math.max(Math.floor(modified.getTime() / 1000), 0), 0x7fffffff)
  return Buffer.concat([record([0x5455, 2], [5, 2]), Buffer.of(1), record([seconds, 4])])
}

function localHeader(entry: ZipEntry, name: Buffer): Buffer {
  const [time, date] = dosTime(entry.modified)
  const large = isLarge(entry) ? record([1, 2], [16, 2], [0, 8], [0, 8]) : Buffer.alloc(0)
  const extra = Buffer.concat([timeExtra(entry.modified), large])
  const version = isLarge(entry) ? largeVersion : plainVersion
  const head = record(
    [0x04034b50, 4],
    [version, 2],
    [flags, 2],
    [0, 2],
    [time, 2],
    [date, 2],
    [0, 4],
    [isLarge(entry) ? most32 : 0, 4],
    [isLarge(entry) ? most32 : 0, 4],
    [name.length, 2],
    [extra.length, 2],
  )
  return Buffer.concat([head, name, extra])
}

function descriptor(entry: ZipEntry, sum: number): Buffer {
  const width = isLarge(entry) ? 8 : 4
  return record([0x08074b50, 4], [sum, 4], [entry.size, width], [entry.size, width])
}

function centralRecord(entry: ZipEntry, name: Buffer, sum: number, offset: number): Buffer {
  const [time, date] = dosTime(entry.modified)
  const needs64 = isLarge(entry) || offset >= most32
  const wide = [...(isLarge(entry) ? [entry.size, entry.size] : []), ...(offset >= most32 ? [offset] : [])]
  const wideFields = wide.map((value) => [value, 8] as const)
  const large = needs64 ? record([1, 2], [wide.length * 8, 2], ...wideFields) : Buffer.alloc(0)
  const extra = Buffer.concat([timeExtra(entry.modified), large])
  const isDirectory = entry.name.endsWith('/')
  const kind = isDirectory ? directory : regularFile
  const attributes = ((kind | (entry.mode & 0o777)) << 16) >>> 0
  const size = Math.min(entry.size, most32)
  const head = record(
    [0x02014b50, 4],
    [madeOnUnix | largeVersion, 2],
    [needs64 ? largeVersion : plainVersion, 2],
    [flags, 2],
    [0, 2],
    [time, 2],
    [date, 2],
    [sum, 4],
    [size, 4],
    [size, 4],
    [name.length, 2],
    [extra.length, 2],
    [0, 2],
    [0, 2],
    [0, 2],
    [attributes + (isDirectory ? dosDirectory : 0), 4],
    [Math.min(offset, most32), 4],
  )
  return Buffer.concat([head, name, extra])
}

function endOfArchive(count: number, start: number, length: number): Buffer {
  const end = record(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [Math.min(count, most16), 2],
    [Math.min(count, most16), 2],
    [Math.min(length, most32), 4],
    [Math.min(start, most32), 4],
    [0, 2],
  )
  if (count < most16 && start < most32 && length < most32) {
    return end
  }
  const versions = [
    [largeVersion, 2],
    [largeVersion, 2],
  ] as const
  const counts = [
    [count, 8],
    [count, 8],
    [length, 8],
    [start, 8],
  ] as const
  const large = record([0x06064b50, 4], [44, 8], ...versions, [0, 4], [0, 4], ...counts)
  return Buffer.concat([large, record([0x07064b50, 4], [0, 4], [start + length, 8], [1, 4]), end])
}

/** Computes the archive's size in bytes without reading any entry. */
export function zipSize(entries: readonly ZipEntry[]): number {
  let offset = 0
  let centralLength = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name)
    centralLength += centralRecord(entry, name, 0, offset).length
    offset += localHeader(entry, name).length + entry.size + descriptor(entry, 0).length
  }
  return offset + centralLength + endOfArchive(entries.length, offset, centralLength).length
}

/** Streams a zip without compression. Throws when an entry's content differs from its declared size. */
export async function* zip(entries: readonly ZipEntry[]): AsyncIterable<Uint8Array> {
  const written: { sum: number; offset: number }[] = []
  let offset = 0
  for await (const [entry, content] of withContents(entries)) {
    const head = localHeader(entry, Buffer.from(entry.name))
    yield head
    let sum = 0
    let size = 0
    for await (const chunk of content) {
      sum = crc32(chunk, sum)
      size += chunk.length
      yield chunk
    }
    if (size !== entry.size) {
      throw new Error(`${entry.name} changed while it was read.`)
    }
    const tail = descriptor(entry, sum)
    yield tail
    written.push({ sum, offset })
    offset += head.length + size + tail.length
  }
  const start = offset
  for (const [index, { sum, offset: place }] of written.entries()) {
    const central = centralRecord(entries[index]!, Buffer.from(entries[index]!.name), sum, place)
    yield central
    offset += central.length
  }
  yield endOfArchive(entries.length, start, offset - start)
}
