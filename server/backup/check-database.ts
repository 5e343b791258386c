import { openBare } from '../engines/database/connection.ts'
import { BackupError } from './backup-error.ts'

/** Counts of the contents of a copy, by which a person recognizes the copy. */
export interface Counts {
  people: number
  devices: number
  organizations: number
  events: number
}

const counted = `SELECT (SELECT count(*) FROM users) AS people, (SELECT count(*) FROM devices) AS devices,
  (SELECT count(*) FROM tenants) AS organizations, (SELECT count(*) FROM audit_events) AS events`

/** Checks the whole database of a copy and counts its contents. Throws a `BackupError` for a damaged copy. */
export async function checkDatabase(file: string, path: string): Promise<Counts> {
  const database = await openBare(file, 0)
  try {
    const [first] = await database.all<{ integrity_check: string }>('PRAGMA integrity_check(1)')
    const [counts] = await database.all<Counts>(counted)
    if (first?.integrity_check !== 'ok' || !counts) {
      throw new Error(first?.integrity_check)
    }
    return counts
  } catch (error) {
    throw new BackupError(`The database in the backup ${path} is damaged. Take another copy.`, { cause: error })
  } finally {
    await database.close()
  }
}
