import { open } from 'node:fs/promises'
import { openConnection, type Connection } from './connection.ts'
import { sizeOf, type Paths } from './folder.ts'

/** State of the data folder before this start. */
export interface FoundFolder {
  /** The process before did not close the database: it crashed, was killed, or the machine lost power. */
  wasUnclean: boolean
  /** The file was in use with a write-ahead log, which is not beside it. */
  isLogMissing: boolean
}

/** First two bytes behind SQLite's page size: 2 while the file is used with a write-ahead log. */
const versionsAt = 18
const walVersions = Buffer.from([2, 2])

/** Whether the file was written with a write-ahead log that is not beside it. Call before the database is opened. */
export async function isLogMissing({ database }: Paths): Promise<boolean> {
  if ((await sizeOf(database)) === 0 || (await exists(`${database}-wal`))) {
    return false
  }
  await using file = await open(database, 'r')
  const { buffer } = await file.read(Buffer.alloc(walVersions.length), 0, walVersions.length, versionsAt)
  return buffer.equals(walVersions)
}

const exists = (path: string) =>
  open(path, 'r').then(
    async (file) => {
      await file.close()
      return true
    },
    () => false,
  )

/** `quick` leaves out the comparison of tables with their indexes, which reads everything twice. */
export type CheckDepth = 'quick' | 'full'

const mostProblems = 20

/** Throws SQLite's finding if the file is damaged. */
export async function check(connection: Connection, depth: CheckDepth): Promise<void> {
  const pragma = depth === 'full' ? 'integrity_check' : 'quick_check'
  const rows = await connection.all<Record<string, string>>(`PRAGMA ${pragma}(${depth === 'full' ? mostProblems : 1})`)
  const problems = rows.map((row) => row[pragma] ?? '').filter((text) => text !== 'ok')
  if (problems.length > 0) {
    throw Object.assign(new Error(problems.join('; ').replaceAll('\n', ' ').slice(0, 2_000)), {
      code: 'SQLITE_CORRUPT',
    })
  }
}

/** Checks the whole file on a connection of its own, beside other work. */
export async function checkBeside(paths: Paths): Promise<void> {
  const connection = await openConnection(paths.database, 'reader')
  try {
    await check(connection, 'full')
  } finally {
    await connection.close()
  }
}
