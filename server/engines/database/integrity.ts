import { open } from 'node:fs/promises'
import { isDamage } from '../../ground/errors.ts'
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

/** Damage of a database in use. */
export class Damage {
  readonly #paths: Paths
  readonly #refuseWrites: (error: Error) => void
  #found: string | undefined

  /** @param refuseWrites Called with the first error that shows damage. */
  constructor(paths: Paths, refuseWrites: (error: Error) => void) {
    this.#paths = paths
    this.#refuseWrites = refuseWrites
  }

  /** Description of the damage; undefined while there is none. */
  get found(): string | undefined {
    return this.#found
  }

  /** Ends all writing if the error shows that the file is damaged. */
  note(error: unknown): void {
    if (error instanceof Error && isDamage(error) && this.#found === undefined) {
      this.#found = error.message
      this.#refuseWrites(error)
    }
  }

  /** Settles like `reading`, and notes damage that it ran into. */
  async watch<T>(reading: Promise<T>): Promise<T> {
    try {
      return await reading
    } catch (error) {
      this.note(error)
      throw error
    }
  }

  /** Checks the whole file on a connection of its own, beside other work. Returns the damage. */
  async check(): Promise<string | undefined> {
    const connection = await openConnection(this.#paths.database, 'reader')
    try {
      await check(connection, 'full')
    } catch (error) {
      this.note(error)
      if (this.#found === undefined) {
        throw error
      }
    } finally {
      await connection.close()
    }
    return this.#found
  }
}
