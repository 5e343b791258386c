import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { codeOf } from '../../../ground/errors.ts'
import { StartError } from '../../../ground/start-error.ts'
import { assemble } from '../assemble.ts'
import type { Database, Engine } from '../engine.ts'
import { describePlace, type PostgresPlace, type DatabaseOptions, type PostgresOptions } from '../options.ts'
import { closeToOthers, createFolder, lockFolder, pathsIn, sizeOf } from '../folder.ts'
import { addIdentity, hadIdentity, writeMarker } from '../folder-marker.ts'
import { createOrm, createReaders, sessionOn } from './connections.ts'
import { explain, isOfItem, isUndone, ofCommit, withState } from './failures.ts'
import { keptIn, prepareSchema } from './prepare.ts'
import { exportTo } from './transfer.ts'
import { installTriggers } from './touched.ts'
import { Writer } from './writer.ts'

type Options = DatabaseOptions & { postgres: PostgresOptions; folderWaitMs: number }

/** Throws for a folder whose data is in a file: a start must not leave it behind unnoticed. */
async function refuseFile(directory: string, place: PostgresPlace): Promise<void> {
  const { database } = pathsIn(directory)
  if ((await sizeOf(database)) > 0) {
    throw new StartError(
      `The data folder ${directory} holds the database file ${database}, and the settings name the PostgreSQL database ${describePlace(place)}. ` +
        'Carry the data over with `move-database`, or remove the settings Service_POSTGRES_*, or choose another folder (Service_DataDirectory).',
    )
  }
}

const sizeSql = `SELECT pg_database_size(current_database()) AS bytes, current_setting('server_version') AS version,
  (SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend') AS connections,
  current_setting('max_connections')::integer AS "mostConnections"`

async function sizeOfDatabase(read: Engine['read'], place: PostgresPlace, version: number): ReturnType<Engine['size']> {
  const begunAt = performance.now()
  await read('SELECT 1', [])
  const lagMs = performance.now() - begunAt
  const [row] = await read<{ bytes: number; version: string; connections: number; mostConnections: number }>(
    sizeSql,
    [],
  )
  return {
    kind: 'postgres',
    place: describePlace(place),
    bytes: 0,
    version: `${version}`,
    connections: 0,
    mostConnections: 0,
    ...row,
    lagMs,
  }
}

async function copyInto(file: string, { postgres: { place, tables }, migrations }: Options): Promise<void> {
  try {
    await exportTo(place, tables, file, { migrations })
  } catch (error) {
    throw explain(codeOf(error) === undefined ? withState(error) : error, describePlace(place))
  }
}

/** Opens the database on a database server; secrets and files stay in the data folder. Throws StartError if a person has to act. */
export async function openPostgres(options: Options): Promise<Database> {
  const directory = resolve(options.directory)
  const paths = pathsIn(directory)
  const { identityQuery, log } = options
  const { place } = options.postgres
  const cleanup = new AsyncDisposableStack()
  try {
    await createFolder(directory)
    const lock = await lockFolder(directory, log, options.folderWaitMs)
    cleanup.defer(() => lock.unlock())
    await closeToOthers(directory, log)
    await refuseFile(directory, place)
    const version = await prepareSchema(options)
    const writer = new Writer(options)
    const transactions = createOrm(place, version, 'writer', writer.prepare, writer.commits)
    cleanup.defer(() => transactions.close())
    writer.connect = () => transactions.authenticate()
    await writer.connect()
    const readers = createReaders(place, (error) => log.debug({ err: error }, 'A connection to the database ended.'))
    cleanup.defer(() => readers.close())
    const sequelize = createOrm(place, version, 'reader')
    cleanup.defer(() => sequelize.close())
    const session = sessionOn(writer.current)
    const read = readers.all
    const isInstalled = (await sizeOf(paths.marker)) > 0
    if (identityQuery && isInstalled && (await hadIdentity(paths)) && (await read(identityQuery, [])).length === 0) {
      throw new StartError(
        `The PostgreSQL database ${describePlace(place)} does not contain the identity of this server. Name the right database (Service_POSTGRES_DB), ` +
          `or restore its backup. To start from nothing, choose an empty folder or delete ${paths.marker}.`,
      )
    }
    if (!isInstalled) {
      await writeMarker(paths)
    }
    await writeFile(paths.postgres, keptIn(place), { mode: 0o600 })
    const engine: Engine = {
      kind: 'postgres',
      log,
      writer: session,
      sequelize,
      transactions,
      writeLock: writer,
      async watchTables(tables, followers) {
        await installTriggers(session, tables)
        writer.follow(followers)
        return {
          // `storeAlone` says so in the transaction of its statement.
          async setFollowedByCaller() {},
          drain: async () => writer.keys.drain(),
          finalize: async () => {},
        }
      },
      isOfItem,
      isUndone,
      ofCommit,
      failed() {},
      read,
      async checkpoint() {},
      async noteIdentity() {
        if (!(await hadIdentity(paths))) {
          await addIdentity(paths)
        }
      },
      found: { wasUnclean: false, isLogMissing: false },
      damage: () => undefined,
      checkIntegrity: async () => undefined,
      size: () => sizeOfDatabase(read, place, version),
      catchUp: () => writer.catchUp(),
      isCurrent: () => writer.isCurrent(),
      whenCurrent: (timeoutMs) => writer.whenCurrent(timeoutMs),
      copyTo: (file) => copyInto(file, options),
      async close() {
        await writer.close()
        await cleanup.disposeAsync()
      },
    }
    return assemble(engine, writer.queue, options.observer, cleanup)
  } catch (error) {
    await cleanup.disposeAsync()
    throw explain(error, describePlace(place))
  }
}
