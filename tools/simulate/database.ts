import { readdir } from 'node:fs/promises'
import pg from 'pg'
import type { PostgresPlace } from '../../server/engines/database/options.ts'
import { postgresPrograms, postgresUser, startPostgres } from './postgres.ts'
import { cpuSecondsOf, statOf } from './process-figures.ts'

/** PostgreSQL of this program; undefined where the servers keep their data in files. */
let postgres: Awaited<ReturnType<typeof startPostgres>> | undefined
/** Database of each data folder. */
const places = new Map<string, Promise<PostgresPlace>>()

/**
 * Starts a PostgreSQL as initdb sets it up, in which all servers that start from now on keep their data. Returns the
 * function that removes it, which runs at the end of this program at the latest.
 */
export async function startSharedPostgres(): Promise<() => void> {
  if (postgres) {
    return () => {}
  }
  const programs = postgresPrograms()
  if (programs === undefined) {
    throw new Error('PostgreSQL 15 or newer is needed: apt-get install postgresql')
  }
  const started = await startPostgres(programs)
  postgres = started
  const remove = () => {
    process.off('exit', remove)
    postgres = undefined
    places.clear()
    started.remove()
  }
  process.once('exit', remove)
  return remove
}

async function createDatabase(port: number, name: string): Promise<PostgresPlace> {
  const place = { host: '127.0.0.1', port, user: postgresUser, password: undefined, tls: false as const }
  const client = new pg.Client({ ...place, database: 'postgres' })
  await client.connect()
  await client.query(`CREATE DATABASE ${name}`)
  await client.end()
  return { ...place, name }
}

/** Database of the server with this data folder, made when it is first asked for; undefined for a file. */
export async function databaseOf(directory: string): Promise<PostgresPlace | undefined> {
  if (!postgres) {
    return undefined
  }
  const place = places.get(directory) ?? createDatabase(postgres.port, `bench_${places.size}`)
  places.set(directory, place)
  return place
}

/** Gives a second data folder the database of the first: their servers join. */
export function shareDatabase(first: string, second: string): void {
  const place = places.get(first)
  if (place) {
    places.set(second, place)
  }
}

/** Settings of a server with this database. */
export const settingsOf = (place: PostgresPlace | undefined): Record<string, string> =>
  place
    ? {
        Service_POSTGRES_HOST: place.host,
        Service_POSTGRES_PORT: String(place.port),
        Service_POSTGRES_USER: place.user,
        Service_POSTGRES_DB: place.name,
      }
    : {}

/** CPU seconds of PostgreSQL so far, in all of its processes; 0 without one. */
export async function databaseCpuSeconds(): Promise<number> {
  if (!postgres) {
    return 0
  }
  const first = postgres.pid()
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const stats = await Promise.all(pids.map(async (pid) => ({ pid, parent: Number((await statOf(pid))[1]) })))
  const seconds = await Promise.all([
    cpuSecondsOf(first, 'process and its ended children'),
    ...stats.filter(({ parent }) => parent === first).map(({ pid }) => cpuSecondsOf(pid)),
  ])
  return seconds.reduce((sum, each) => sum + each, 0)
}
