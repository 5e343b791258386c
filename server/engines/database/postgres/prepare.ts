import pg from 'pg'
import { StartError } from '../../../ground/start-error.ts'
import { describePlace, type PostgresPlace, type DatabaseOptions, type PostgresOptions } from '../options.ts'
import { configOf } from './connections.ts'
import { lockDatabase } from './locks.ts'
import { migratePostgres } from './migrate.ts'

const leastVersion = 15

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
  const client = new pg.Client({ ...configOf(postgres.place, { statement_timeout: '0', lock_timeout: '0' }) })
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
    await migratePostgres(client, { migrations, tables: postgres.tables, appVersion, log })
    return version
  } finally {
    await client.end()
  }
}
