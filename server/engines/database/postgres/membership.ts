import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { describePlace, type PostgresOptions } from '../options.ts'
import { inUse } from './failures.ts'

/*
 * A running server holds a lock of the database: alone, or shared by the servers of its cluster. All locks of the product
 * have two keys: "farh" in ASCII and a number, or "farc" and the hash of a cluster.
 */

const product = 0x66617268
const clusters = 0x66617263

/** Key of the lock under which one server after the other changes the schema. */
export const migrationLock = [product, 1] as const
const serverLock = [product, 2] as const
/** Key of the lock of each write, where several servers share the database. */
export const writeLock = [product, 3] as const

const retryMs = 500

type Query = 'pg_try_advisory_lock' | 'pg_try_advisory_lock_shared' | 'pg_advisory_unlock_shared'

async function call(client: Client, query: Query, keys: readonly [number, number]): Promise<boolean> {
  const { rows } = await client.query<{ done: unknown }>(`SELECT ${query}($1, $2) AS done`, [...keys])
  // Connections differ in how they return truth values.
  return Boolean(rows[0]?.done)
}

const strangers = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid::bigint = $1 AND objid::bigint <> $2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`

async function tryJoin(client: Client, cluster: { id: string } | undefined): Promise<boolean> {
  if (!cluster) {
    return call(client, 'pg_try_advisory_lock', serverLock)
  }
  if (!(await call(client, 'pg_try_advisory_lock_shared', serverLock))) {
    return false
  }
  const hash = createHash('sha256').update(cluster.id).digest().readUInt32BE() >>> 1
  // Locked first: of two clusters that start at once, neither overlooks the other.
  await call(client, 'pg_try_advisory_lock_shared', [clusters, hash])
  const { rows } = await client.query(strangers, [clusters, hash])
  if (rows.length > 0) {
    await call(client, 'pg_advisory_unlock_shared', [clusters, hash])
    await call(client, 'pg_advisory_unlock_shared', serverLock)
  }
  return rows.length === 0
}

/** Locks the database for this server or its cluster as long as the connection lives. Waits for servers that stop. */
export async function join(
  client: Client,
  { place, cluster }: Pick<PostgresOptions, 'place' | 'cluster'>,
  waitMs: number,
): Promise<void> {
  for (let waitedMs = 0; !(await tryJoin(client, cluster)); waitedMs += retryMs) {
    if (waitedMs >= waitMs) {
      throw inUse(describePlace(place), cluster !== undefined)
    }
    await delay(retryMs)
  }
}
