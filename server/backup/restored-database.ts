import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lockFolder, pathsIn } from '../engines/database/folder.ts'
import type { Migration } from '../engines/database/migrate.ts'
import { describePlace, type PostgresOptions } from '../engines/database/options.ts'
import { explain } from '../engines/database/postgres/failures.ts'
import { prepareSchema } from '../engines/database/postgres/prepare.ts'
import { importFrom } from '../engines/database/postgres/import.ts'
import { exportTo } from '../engines/database/postgres/transfer.ts'
import type { Log } from '../ground/log.ts'
import { lastRestore } from './stage-restore.ts'

interface Options {
  directory: string
  postgres: PostgresOptions
  migrations: readonly Migration[]
  appVersion: string
  log: Log
  /** Maximum wait for other servers that use the folder or the database. */
  lockWaitMs: number
}

/**
 * Carries a restored database file into the database server that keeps the data of the folder. The data that was there is
 * kept as a file beside the other replaced files. May be killed at any step and called again.
 */
export async function importRestored({ directory, postgres, lockWaitMs, ...options }: Options): Promise<void> {
  const { database } = pathsIn(directory)
  const restored = await lastRestore(directory)
  if (!restored || !existsSync(database)) {
    return
  }
  const { log } = options
  const { unlock } = await lockFolder(directory, log, lockWaitMs)
  try {
    const { place, tables } = postgres
    await prepareSchema({ ...options, postgres, folderWaitMs: lockWaitMs })
    const former = restored.aside === undefined ? undefined : join(restored.aside, 'farhand.db')
    if (former !== undefined && !existsSync(former)) {
      const partial = `${former}.partial`
      await rm(partial, { force: true })
      await mkdir(dirname(former), { recursive: true, mode: 0o700 })
      await exportTo(place, tables, partial)
      await rename(partial, former)
    }
    await importFrom(database, place, { ...options, tables, replaces: true, lockWaitMs })
    await rm(database)
    log.warn({}, 'The restored data is in the PostgreSQL database now.')
  } catch (error) {
    throw explain(error, describePlace(postgres.place))
  } finally {
    await unlock()
  }
}
