import { isIP } from 'node:net'
import type { PostgresOptions } from '../engines/database/options.ts'
import { readAuthorities } from '../settings/authorities.ts'
import type { Config } from '../settings/config.ts'
import { descriptions } from './models.ts'

/** Whether a host is this computer; a path is the folder of a socket. */
const isLocal = (host: string) =>
  host === 'localhost' || host === '::1' || host.startsWith('/') || (isIP(host) === 4 && host.startsWith('127.'))

/** The database server that the settings name; undefined where a file in the data folder keeps the data. */
export function postgresOf({ postgres, cluster }: Pick<Config, 'postgres' | 'cluster'>): PostgresOptions | undefined {
  const {
    host,
    port,
    user,
    password,
    db,
    sslRootCert,
    sslMode = host !== undefined && isLocal(host) ? 'disable' : 'verify-full',
  } = postgres
  if (host === undefined) {
    return undefined
  }
  const tls = sslMode === 'disable' ? false : { ca: readAuthorities(sslRootCert, 'Service_POSTGRES_SSLROOTCERT') }
  return {
    place: { host, port, user, password, name: db, tls },
    tables: descriptions,
    isShared: cluster.redisUrl !== undefined,
  }
}
