import { clientError, codeOf, outcomeUnknown } from '../../../ground/errors.ts'
import { StartError } from '../../../ground/start-error.ts'

/** Code of a connection that ended. */
export const connectionLost = '08006'

/** Gives errors of the network, which have no SQLSTATE, the one of a lost connection. */
export function withState(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return error instanceof Error && !/^[0-9A-Z]{5}$/.test(code) ? Object.assign(error, { code: connectionLost }) : error
}

export const lost = () => Object.assign(new Error('The connection to the database was lost'), { code: connectionLost })

/** Codes of a connection that ended: by the network, an administrator, or a crash of the database server. */
const codesOfEnd = new Set([connectionLost, '08000', '08003', '57P01', '57P02'])

export const isLost = (error: unknown): boolean => codesOfEnd.has(codeOf(error) ?? '')

/** The database may have stored a transaction whose COMMIT it did not answer. */
export const ofCommit = (error: unknown): unknown =>
  isLost(error)
    ? Object.assign(new Error('The connection was lost during a commit', { cause: error }), { code: outcomeUnknown })
    : error

/** Codes of a transaction that the database has undone because of others. */
export const isUndone = (error: unknown): boolean => ['40001', '40P01'].includes(codeOf(error) ?? '')

/** Whether the database did not get a lock in time. */
export const isBusy = (error: unknown): boolean => codeOf(error) === '55P03'

/** Code of a statement after one that failed in the same transaction. */
const alreadyFailed = '25P02'

/** Classes of errors that one item of a batch causes: cardinality, data, integrity. */
const classesOfItem = new Set(['21', '22', '23'])

/** A statement after a failed one also shows that an item caused the failure: its work caught the error. */
export function isOfItem(error: unknown): boolean {
  const code = codeOf(error)
  return code !== undefined && (code === alreadyFailed || classesOfItem.has(code.slice(0, 2)))
}

/** PostgreSQL answers the COMMIT of a transaction with a failed statement without an error, and rolls it back. */
export const isRolledBack = (answer: unknown): boolean =>
  (answer as { command?: unknown } | undefined)?.command === 'ROLLBACK'

export const rolledBack = () =>
  Object.assign(new Error('A statement of the transaction failed'), { code: alreadyFailed })

export const inUse = (database: string, isShared: boolean) =>
  new StartError(
    `The database ${database} is in use by another running Farhand${isShared ? ' that was started without Service_Cluster__RedisUrl' : ''}. ` +
      'Stop that one first, or name another database (Service_POSTGRES_DB).',
  )

/** Code of a full disk of the database server. */
const diskFull = '53100'

/** Advice on errors of the start, and of a backup, by their code. */
const advice: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL, or correct Service_POSTGRES_HOST and Service_POSTGRES_PORT.',
  ENOTFOUND: 'Correct Service_POSTGRES_HOST.',
  EAI_AGAIN: 'Correct Service_POSTGRES_HOST, or check the name service of this machine.',
  ETIMEDOUT: 'Check the network to the database server, and Service_POSTGRES_HOST.',
  '28000': 'Correct Service_POSTGRES_USER, or permit the login in pg_hba.conf.',
  '28P01': 'Correct Service_POSTGRES_USER and Service_POSTGRES_PASSWORD.',
  '3D000': 'Create the database, owned by the login: `createdb --owner USER NAME`.',
  '42501': 'Make the login the owner of the database: `ALTER DATABASE name OWNER TO login`.',
  '53300': 'Raise max_connections of PostgreSQL: this server uses up to ten connections.',
  [diskFull]: 'Make room on the disk of the database server.',
  '57P01': 'Try again once PostgreSQL has started again.',
  [connectionLost]: 'Try again once PostgreSQL answers.',
  '57P03': 'PostgreSQL is starting: start this server again in a moment.',
}

/** Explains an error of the start, or of a backup. A full disk of the data folder is returned unchanged. */
export function explain(error: unknown, database: string): unknown {
  const code = codeOf(error)
  const isOfFolder = code !== diskFull && clientError(error)?.status === 507
  if (error instanceof StartError || code === undefined || !(error instanceof Error) || isOfFolder) {
    return error
  }
  const isCertificate = code.includes('CERT') || code.includes('SIGNATURE')
  const more = isCertificate
    ? 'Name the authority of its certificate (Service_POSTGRES_SSLROOTCERT), and the host as the certificate does.'
    : (advice[code] ?? 'Check the settings Service_POSTGRES_* and the log of PostgreSQL.')
  return new StartError(`The PostgreSQL database ${database} cannot be used (${error.message}). ${more}`, {
    cause: error,
  })
}
