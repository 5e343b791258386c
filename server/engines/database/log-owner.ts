import { randomInt } from 'node:crypto'
import { open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readFileIfThere, replaceFile } from '../../ground/durable-file.ts'
import { DataError } from '../../ground/start-error.ts'
import { flushFolder } from '../../ground/system.ts'
import type { Connection } from './connection.ts'
import type { Paths } from './folder.ts'

/*
 * SQLite replays any write-ahead log that lies beside a database, also the log of another database, whose pages it then
 * mixes into this one (T47). A note beside both names the pair: the stamp in the header of the database file, new at each
 * start, and the salt of its log, which SQLite draws at random and raises by 1 whenever it begins the log anew.
 */

interface Note {
  stamp: number
  salt: number
}

/** Offset of SQLite's application id in the database file: holds the stamp. */
const stampAt = 68
/** Offset of the first salt in the write-ahead log. */
const saltAt = 16
/** Length of the header of a write-ahead log; a log without more holds nothing. */
const logHeaderBytes = 32
/** New logs between two notes: the note is written with each checkpoint, every few minutes. */
const mostNewLogs = 2 ** 16

async function numberAt(path: string, offset: number, longerThan: number): Promise<number | undefined> {
  try {
    await using file = await open(path, 'r')
    const { size } = await file.stat()
    return size > longerThan ? (await file.read(Buffer.alloc(4), 0, 4, offset)).buffer.readUInt32BE() : undefined
  } catch {
    return undefined
  }
}

/** SQLite ignores a log that begins otherwise; the last bit is the byte order of its checksums. */
const isLogMagic = (magic: number | undefined) => magic === 0x377f0682 || magic === 0x377f0683

async function saltOf({ database }: Paths): Promise<number | undefined> {
  const log = `${database}-wal`
  return isLogMagic(await numberAt(log, 0, logHeaderBytes)) ? numberAt(log, saltAt, logHeaderBytes) : undefined
}

async function readNote({ logNote }: Paths): Promise<Partial<Note>> {
  try {
    return JSON.parse((await readFileIfThere(logNote)) ?? '{}') as Partial<Note>
  } catch {
    return {}
  }
}

const write = ({ logNote }: Paths, note: Note) => replaceFile(logNote, `${JSON.stringify(note)}\n`)

/**
 * Throws if the log beside the database is another one's. Call before SQLite opens either: it would replay the log. Takes back
 * the note: until `pairLog`, the log of this start has a salt of its own.
 */
export async function refuseForeignLog(paths: Paths): Promise<void> {
  const { stamp, salt } = await readNote(paths)
  const foundSalt = await saltOf(paths)
  const isKnown = stamp !== undefined && salt !== undefined && foundSalt !== undefined
  const isOwn = async () =>
    !isKnown ||
    ((foundSalt - salt) >>> 0 <= mostNewLogs && (await numberAt(paths.database, stampAt, stampAt)) === stamp)
  if (!(await isOwn())) {
    const { database, logNote } = paths
    throw new DataError(
      `The write-ahead log ${database}-wal does not belong to the database ${database}: one of them was copied there alone. ` +
        `Nothing was changed. Put back the missing file of the pair; or move ${database}-wal away to start without the newest changes; ` +
        `or delete ${logNote} if both files are from the same copy.`,
    )
  }
  await rm(paths.logNote, { force: true })
  await flushFolder(dirname(paths.logNote))
}

/** Stamps the opened database, moves its log into the file, and notes both. */
export async function pairLog(writer: Connection, paths: Paths): Promise<void> {
  const stamp = randomInt(1, 2 ** 31)
  await writer.exec(`PRAGMA application_id = ${stamp}`)
  const salt = await saltOf(paths)
  const [result] = await writer.all<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
  if (salt !== undefined && result?.busy === 0) {
    await write(paths, { stamp, salt })
  }
}

/** Moves the log into the database file without waiting for readers, and notes the present log. Call while nothing is written. */
export async function moveIdleLogIntoFile(writer: Connection, paths: Paths): Promise<void> {
  await writer.exec('PRAGMA wal_checkpoint(PASSIVE)')
  const { stamp, salt } = await readNote(paths)
  const present = await saltOf(paths)
  if (stamp !== undefined && present !== undefined && present !== salt) {
    await write(paths, { stamp, salt: present })
  }
}
