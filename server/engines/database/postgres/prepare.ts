import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { StartError } from '../../../ground/start-error.ts'
import { describePlace, type PostgresPlace, type DatabaseOptions, type PostgresOptions } from '../options.ts'
import { configOf } from './connections.ts'
import { isBusy } from './failures.ts'
import { lockDatabase } from './locks.ts'
import { migratePostgres } from './migrate.ts'

const leastVersion = 15

/**
 * Limit of a wait for a lock. A backup keeps the locks of the tables that it has read until its end, and whoever reads or writes
 * waits behind a change of the schema that waits for them.
 */
const lockMs = 2_000
const retryMs = 1_000

/** Note in the data folder about the database that keeps its data. */
export const keptIn = (place: PostgresPlace): string =>
  `Farhand keeps the data of this folder in the PostgreSQL database ${describePlace(place)}.\n`

type Options = Pick<DatabaseOptions, 'migrations' | 'appVersion' | 'log'> & {
  postgres: PostgresOptions
  /** Maximum wait for another server to stop. */
  folderWaitMs: number
}

/** Updates the schema; returns the main version of the database server. */
export async function prepareSchema({ postgres, migrations, appVersion, log, folderWaitMs }: Options): Promise<number> {
  const limits = { statement_timeout: '0', lock_timeout: String(lockMs) }
  const client = new pg.Client({ ...configOf(postgres.place, limits) })
  // The query in progress reports the error.
  client.on('error', () => {})
  await client.connect()
  try {
    const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version")
    const version = Number.parseInt(rows[0]?.version ?? '0')
    if (version < leastVersion) {
      throw new StartError(`PostgreSQL ${version} is too old: ${leastVersion} or newer is needed.`)
    }
    await lockDatabase(client, postgres, folderWaitMs)
    for (;;) {
      try {
        await migratePostgres(client, { migrations, tables: postgres.tables, appVersion, log })
        return version
      } catch (error) {
        if (!isBusy(error)) {
          throw error
        }
        log.info({}, 'The update of the database waits for another program that uses it, such as a backup.')
        await delay(retryMs)
      }
    }
  } finally {
    await client.end()
  }
}
