import { existsSync } from 'node:fs'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { plural } from '../../shared/plural.ts'
import { createFolder, lockFolder, pathsIn } from '../engines/database/folder.ts'
import { migrations } from '../engines/database/migrations/index.ts'
import { describePlace, type PostgresOptions } from '../engines/database/options.ts'
import { explain } from '../engines/database/postgres/failures.ts'
import type { CopiedTable } from '../engines/database/postgres/transfer.ts'
import { installation } from '../engines/process/installation.ts'
import { createLog, type Log } from '../ground/log.ts'
import { StartError } from '../ground/start-error.ts'
import type { Config } from '../settings/config.ts'
import { postgresOf } from '../call/postgres.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { Terminal } from '../surface/command.ts'
import { explainAt } from './backup-error.ts'

export const usage = `Usage: ${installation.program} move-database to-postgres|to-file [--config FILE]

Copies the data of a stopped server into the PostgreSQL database that the settings name (Service_POSTGRES_HOST
and the variables beside it), or from there into a file in the data folder. Compares number and hash of the rows of
each table. The source stays as it is.`

const appVersion = installation.version

/** Loads the driver of PostgreSQL, which other commands do not need. */
const loadTransfer = async () => ({
  ...(await import('../engines/database/postgres/import.ts')),
  ...(await import('../engines/database/postgres/prepare.ts')),
  ...(await import('../engines/database/postgres/transfer.ts')),
})

const counted = (tables: readonly CopiedTable[]) =>
  `${plural(
    tables.reduce((sum, { rows }) => sum + rows, 0),
    'row',
    'rows',
  )} in ${plural(tables.length, 'table', 'tables')} were copied and compared.`

async function toPostgres(directory: string, { place, tables }: PostgresOptions, log: Log): Promise<string[]> {
  const { keptIn, importFrom } = await loadTransfer()
  const { database, copies, postgres } = pathsIn(directory)
  if (!existsSync(database)) {
    throw new StartError(`There is no database file ${database}. Name the data folder in Service_DataDirectory.`)
  }
  const copied = await importFrom(database, place, { migrations, tables, appVersion, log, lockWaitMs: 0 })
  await writeFile(postgres, keptIn(place), { mode: 0o600 })
  const kept = join(copies, 'farhand-before-postgres.db')
  for (const ending of ['-wal', '-shm', '']) {
    if (existsSync(database + ending)) {
      await rename(database + ending, kept + ending)
    }
  }
  return [counted(copied), `The file is kept as ${kept}.`, `Start the server: its data is in ${describePlace(place)}.`]
}

async function toFile(directory: string, { place, tables }: PostgresOptions, log: Log): Promise<string[]> {
  const { exportTo, hashFile, prepareSchema } = await loadTransfer()
  const { database, postgres } = pathsIn(directory)
  if (existsSync(database)) {
    throw new StartError(`There is a database file ${database} already. Move it away first.`)
  }
  await prepareSchema({ postgres: { place, tables }, migrations, appVersion, log, folderWaitMs: 0 })
  const partial = `${database}.partial`
  const copied = await exportTo(place, tables, partial, { resumes: true })
  const stored = await hashFile(partial, tables)
  const different = copied.find(({ hash }, index) => hash !== stored[index]?.hash)
  if (different) {
    throw new StartError(
      `The table ${different.name} differs after it was copied. Nothing was changed; report this message.`,
    )
  }
  await rename(partial, database)
  await rm(postgres, { force: true })
  return [
    counted(copied),
    'Remove the settings Service_POSTGRES_* and start the server: its data is in the data folder.',
  ]
}

async function move(config: Config, word: string | undefined, log: Log): Promise<string[]> {
  const postgres = postgresOf(config)
  if (!postgres) {
    throw new StartError(
      'The settings name no PostgreSQL database. Set Service_POSTGRES_HOST and the variables beside it.',
    )
  }
  const directory = config.dataDirectory
  await createFolder(directory)
  const { unlock } = await lockFolder(directory, log, 0)
  try {
    return await (word === 'to-postgres' ? toPostgres : toFile)(directory, postgres, log)
  } catch (error) {
    throw explainAt(`The data folder ${directory}`, explain(error, describePlace(postgres.place)))
  } finally {
    await unlock()
  }
}

/** Runs `move-database`; returns the exit status. Throws a `StartError` with the reason. */
export async function moveDatabaseCommand(
  [word, ...more]: readonly string[],
  { say, loadConfig }: Terminal,
): Promise<number> {
  if ((word !== 'to-postgres' && word !== 'to-file') || more.length > 0) {
    const message = 'needs one of the words to-postgres and to-file; --help explains it'
    throw new ConfigError([{ key: 'move-database', source: 'command line', message }])
  }
  const lines = await move(loadConfig(), word, createLog({ default: 'Warning' }))
  lines.forEach(say)
  return 0
}
