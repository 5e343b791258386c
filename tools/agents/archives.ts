/**
 * Writes the two archives of a bundle. Reproducible: equal content gives equal bytes, so that devices do not update
 * needlessly.
 */
import { createReadStream, createWriteStream, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { pack, type Pack } from 'tar-stream'
import yazl from 'yazl'
import { sha256Of } from '../release/sign.ts'

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

/** A file of an archive: its name, and where it comes from or what is in it. */
export interface PackedFile {
  name: string
  from?: string
  content?: string
  /** Target of a symbolic link. */
  target?: string
  mode?: number
}

async function addFiles(archive: Pack, files: readonly PackedFile[]) {
  for (const { name, from, content = '', target, mode = modeOf(name) } of files) {
    // Owned by root, who unpacks the archive.
    const header = { name, mode, mtime: moment, uid: 0, gid: 0 }
    if (target !== undefined) {
      archive.entry({ ...header, type: 'symlink', linkname: target }, '')
    } else if (from === undefined) {
      archive.entry(header, content)
    } else {
      await pipeline(createReadStream(from), archive.entry({ ...header, size: statSync(from).size }))
    }
  }
  archive.finalize()
}

/** Writes a tar.gz of files and links. */
export async function writeTarOf(files: readonly PackedFile[], file: string, level = 6): Promise<void> {
  const archive = pack()
  const written = pipeline(archive, createGzip({ level }), createWriteStream(file))
  await Promise.all([written, addFiles(archive, files).catch((error: unknown) => archive.destroy(error as Error))])
}

/** Writes the archive for systems whose installer has `tar` but no unzip program, with its SHA-256 in a second file. */
export async function writeTar(folder: string, file: string): Promise<void> {
  const files = filesIn(folder).map((from) => ({ from, name: nameIn(folder, from) }))
  await writeTarOf(files, file, 1)
  writeFileSync(`${file}.sha256`, `${sha256Of(file)}  ${path.basename(file)}\n`)
}
