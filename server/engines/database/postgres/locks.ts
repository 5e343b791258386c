import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { describePlace, type PostgresOptions } from '../options.ts'
import { inUse } from './failures.ts'

/*
 * A running server holds a lock of the database: alone, or shared where the settings join several servers. Servers with
 * other secrets are rejected after that, by what the database holds. All locks of the product have two keys: "farh" in
 * ASCII and a number.
 */

const product = 0x66617268

/** Key of the lock under which one server after the other changes the schema. */
export const migrationLock = [product, 1] as const
const serverLock = [product, 2] as const
/** Key of the lock of each write, where several servers share the database. */
export const writeLock = [product, 3] as const

const retryMs = 500

async function tryLock(client: Client, isShared: boolean): Promise<boolean> {
  const lock = isShared ? 'pg_try_advisory_lock_shared' : 'pg_try_advisory_lock'
  const { rows } = await client.query<{ done: unknown }>(`SELECT ${lock}($1, $2) AS done`, [...serverLock])
  // Connections differ in how they return truth values.
  return Boolean(rows[0]?.done)
}

/** Locks the database as long as the connection lives. Waits for servers that stop. */
export async function lockDatabase(
  client: Client,
  { place, isShared = false }: Pick<PostgresOptions, 'place' | 'isShared'>,
  waitMs: number,
): Promise<void> {
  for (let waitedMs = 0; !(await tryLock(client, isShared)); waitedMs += retryMs) {
    if (waitedMs >= waitMs) {
      throw inUse(describePlace(place), isShared)
    }
    await delay(retryMs)
  }
}
