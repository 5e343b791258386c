/**
 * Writes the two archives of a bundle. Reproducible: equal content gives equal bytes, so that devices do not update
 * needlessly.
 */
import { createHash } from 'node:crypto'
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import yazl from 'yazl'

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .toSorted()

const nameIn = (folder: string, file: string) => path.relative(folder, file).replaceAll('\\', '/')

/** Fixed modification time, for reproducible archives. */
const moment = new Date('2020-01-01T00:00:00Z')

/** Modes of executable files, set explicitly because bundles may be built on Windows. */
const modeOf = (name: string) => (/(^|\/)(node|Farhand\.Agent|spawn-helper|farhand)$/.test(name) ? 0o755 : 0o644)

/** Compresses at level 1: a tenth of the time of the best level, for a result about a tenth larger. */
export async function writeZip(folder: string, file: string): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const each of filesIn(folder)) {
    const name = nameIn(folder, each)
    zip.addFile(each, name, { compressionLevel: 1, mtime: moment, mode: 0o100000 | modeOf(name) })
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(file))
}

const blockBytes = 512
const nameBytes = 100
const prefixBytes = 155

/** Splits a name of up to 255 characters into the two fields of the format. */
function splitName(name: string): { name: string; prefix: string } {
  const fits = (text: string, most: number) => Buffer.byteLength(text) <= most
  if (fits(name, nameBytes)) {
    return { name, prefix: '' }
  }
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    const parts = { prefix: name.slice(0, at), name: name.slice(at + 1) }
    if (fits(parts.prefix, prefixBytes) && fits(parts.name, nameBytes)) {
      return parts
    }
  }
  throw new Error(`The path ${name} is too long for the archive of a bundle`)
}

interface TarEntry {
  mode?: number
  /** Target of a symbolic link. */
  target?: string
}

/** Header of a file or a link in a tar archive (POSIX ustar). */
export function tarHeader(file: string, bytes: number, { mode = modeOf(file), target }: TarEntry = {}): Buffer {
  if (Buffer.byteLength(target ?? '') > nameBytes) {
    throw new Error(`The target of the link ${file} is too long for an archive`)
  }
  const header = Buffer.alloc(blockBytes)
  const { name, prefix } = splitName(file)
  const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`
  header.write(name, 0)
  header.write(octal(mode, 8), 100)
  // Owned by root, who unpacks the archive.
  header.write(octal(0, 8), 108)
  header.write(octal(0, 8), 116)
  header.write(octal(bytes, 12), 124)
  header.write(octal(moment.getTime() / 1000, 12), 136)
  header.write('        ', 148)
  header.write(target === undefined ? '0' : '2', 156)
  header.write(target ?? '', 157)
  header.write('ustar\0' + '00', 257)
  header.write(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

/** Zeros that fill the last block of a file. */
export const paddingOf = (bytes: number): Buffer => Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes)

function* tarBlocks(folder: string): Generator<Buffer> {
  for (const file of filesIn(folder)) {
    const content = readFileSync(file)
    yield tarHeader(nameIn(folder, file), content.length)
    yield content
    yield paddingOf(content.length)
  }
  yield Buffer.alloc(2 * blockBytes)
}

/** Writes the archive for systems whose installer has `tar` but no unzip program, with its SHA-256 in a second file. */
export async function writeTar(folder: string, file: string): Promise<void> {
  const hash = createHash('sha256')
  const gzip = createGzip({ level: 1 }).on('data', (chunk: Buffer) => hash.update(chunk))
  await pipeline(tarBlocks(folder), gzip, createWriteStream(file))
  writeFileSync(`${file}.sha256`, `${hash.digest('hex')}  ${path.basename(file)}\n`)
}
