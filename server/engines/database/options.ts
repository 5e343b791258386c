import type { Log } from '../../ground/log.ts'
import type { WriteObserver } from './assemble.ts'
import type { Migration } from './migrate.ts'
import type { TableDescription } from './table.ts'

/** Place of a database, and how its server is trusted. */
export interface PostgresPlace {
  host: string
  port: number
  user: string
  password: string | undefined
  name: string
  /** False: without TLS. Otherwise the certificate is checked, by `ca` in place of the authorities of the system. */
  tls: false | { ca: string | undefined }
}

export const describePlace = ({ name, host, port }: PostgresPlace): string => `${name} at ${host}:${port}`

export interface PostgresOptions {
  place: PostgresPlace
  tables: readonly TableDescription[]
  /** Whether several servers share the database. */
  isShared?: boolean
}

export interface DatabaseOptions {
  directory: string
  migrations: readonly Migration[]
  /** Statements that make the tables of a new database; without them, its migrations run. */
  schema?: readonly string[]
  appVersion: string
  log: Log
  /** Returns a row if the database holds the identity of this server. */
  identityQuery?: string
  observer?: WriteObserver | undefined
  /** Keeps the data on a database server instead of a file in the folder. */
  postgres?: PostgresOptions | undefined
  /** Maximum wait for another process to unlock the folder; 15 s by default. */
  folderWaitMs?: number
}
