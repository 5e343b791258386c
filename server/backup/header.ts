import { hash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { z } from 'zod'
import { parseJson } from '../../shared/contract/parse-json.ts'
import { BackupError } from './backup-error.ts'

/*
 * Start of a copy, readable without a key: a line with the version of the format, a line of JSON, and a line with the
 * SHA-256 of both, which finds damage. The chunks after it are bound to the header, so a forged one opens nothing.
 */

const formatVersion = 1
const maxHeaderBytes = 16 * 1024

export const Header = z.object({
  createdAt: z.iso.datetime(),
  appVersion: z.string(),
  /** Name of the computer that wrote the copy. */
  computer: z.string(),
  /** Random id of the installation, which a restored server keeps. */
  serverId: z.string(),
  /** Fingerprint of the recovery key that opens the copy. */
  recoveryKey: z.string(),
  /** Newest migration of the database in the copy. */
  schema: z.string(),
  /** Bytes of the content, before compression. */
  contentBytes: z.int().nonnegative(),
  /** Public key of the sender, and the key of the file encrypted for the recovery key. */
  sender: z.string(),
  keyForRecovery: z.string(),
  /** Key of the file sealed with the master key of the server, for its rehearsals. */
  keyForServer: z.string(),
})
export type Header = z.infer<typeof Header>

export interface ReadHeader {
  header: Header
  /** Bytes of the file as stored, which the chunks are bound to. */
  bytes: Buffer
}

const magic = 'farhand-backup '
const headOf = (header: Header) => `${magic}${formatVersion}\n${JSON.stringify(header)}\n`

export function writeHeader(header: Header): Buffer {
  const head = headOf(header)
  return Buffer.from(`${head}${hash('sha256', head)}\n`)
}

const damaged = (path: string) =>
  new BackupError(`The backup ${path} is damaged: its beginning was changed. Take another copy.`)

/** Reads the header of an open file. Throws a `BackupError` for anything but an undamaged one of a known version. */
export async function readHeader(file: FileHandle, path: string): Promise<ReadHeader> {
  const buffer = Buffer.alloc(maxHeaderBytes)
  const { bytesRead } = await file.read(buffer, 0, maxHeaderBytes, 0)
  const text = buffer.toString('latin1', 0, bytesRead)
  const lines = text.split('\n', 3)
  const [first = '', , digest = ''] = lines
  const version = /^farhand-backup (\d+)$/.exec(first)?.[1]
  if (version === undefined) {
    // A flipped bit in the first line leaves the rest recognizable.
    throw text.includes('"keyForRecovery"')
      ? damaged(path)
      : new BackupError(`${path} is not a backup of Farhand. Choose a file that ends with .farhand-backup.`)
  }
  if (lines.length < 3 || text.length < lines.join('\n').length + 1) {
    throw damaged(path)
  }
  const head = buffer.subarray(0, lines[0]!.length + lines[1]!.length + 2)
  const isWhole = hash('sha256', head) === digest
  if (isWhole && Number(version) > formatVersion) {
    throw new BackupError(
      `The backup ${path} was written by a newer Farhand. Install that version and restore with it.`,
    )
  }
  const parsed = isWhole ? Header.safeParse(parseJson(head.toString().split('\n')[1]!)) : undefined
  if (!parsed?.success) {
    throw damaged(path)
  }
  return { header: parsed.data, bytes: buffer.subarray(0, head.length + digest.length + 1) }
}

export async function headerOf(path: string): Promise<Header> {
  await using file = await open(path, 'r')
  return (await readHeader(file, path)).header
}
