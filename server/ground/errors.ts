import {
  problemKinds,
  problemType,
  type ProblemCode,
  type ProblemDetails,
  type ProblemStatus,
} from '../../shared/contract/problem.ts'

/** A failure whose message is meant for the client. Any other error is a 500 without detail. */
export class AppError extends Error {
  override name = 'AppError'
  readonly status: ProblemStatus
  /** Messages by field name, for a rejected body or query. */
  readonly fields: Record<string, string[]> | undefined
  readonly title: string | undefined
  readonly code: ProblemCode | undefined
  /** Id of what exists already. */
  readonly existingId: string | undefined
  /** Id of the oldest event that is kept. */
  readonly firstEventId: string | undefined
  /** Response headers of the rejection, such as `retry-after`. */
  readonly headers: Record<string, string>
  /** The key or code of an anonymous request was wrong: a possible guess. */
  readonly isGuess: boolean
  /** Body on deprecated routes, which otherwise send none. */
  readonly formerBody: object | undefined

  constructor(
    status: ProblemStatus,
    detail: string,
    more: {
      fields?: Record<string, string[]>
      title?: string
      code?: ProblemCode
      existingId?: string | undefined
      firstEventId?: string
      headers?: Record<string, string>
      isGuess?: boolean
      formerBody?: object
    } = {},
  ) {
    super(detail)
    this.status = status
    this.fields = more.fields
    this.title = more.title
    this.code = more.code
    this.existingId = more.existingId
    this.firstEventId = more.firstEventId
    this.headers = more.headers ?? {}
    this.isGuess = more.isGuess ?? false
    this.formerBody = more.formerBody
  }
}

export const badRequest = (detail: string) => new AppError(400, detail)
export const unauthorized = (detail = 'Sign in first.') => new AppError(401, detail)
export const forbidden = (detail = 'You do not have the permission for this.') => new AppError(403, detail)
export const conflict = (detail: string) => new AppError(409, detail)
/** 409 of a limit, with a sentence that says what to do. */
export const limitReached = (detail: string) => new AppError(409, detail, { code: 'limit-reached' })
/** 409 that names what exists already, which must be of the caller's tenant. */
export const alreadyExists = (detail: string, existingId: string | undefined) =>
  new AppError(409, detail, { code: 'already-exists', existingId })
/** 409 that names what has the name already. */
export const nameTaken = (detail: string, existingId: string) =>
  new AppError(409, detail, { code: 'name-taken', existingId })
/** `thing` in lower case: older clients expect the text "Device not found." */
export const notFound = (thing: string) =>
  new AppError(404, `${thing.charAt(0).toUpperCase()}${thing.slice(1)} not found.`)

/** Returns what was looked up; throws 404 where there is none. */
export function found<T>(value: T | null | undefined, thing: string): T {
  if (value === null || value === undefined) {
    throw notFound(thing)
  }
  return value
}

/** A body or query that its schema rejects. */
export const invalid = (fields: Record<string, string[]>) =>
  new AppError(
    400,
    Object.entries(fields)
      .map(([name, messages]) => `${name || 'The body'} ${messages.join(', ')}`)
      .join('; '),
    {
      title: 'One or more validation errors occurred.',
      fields,
    },
  )

export const missingTenant = () =>
  new AppError(400, 'tenantId must be a non-empty GUID.', { title: 'Invalid tenant id.' })

const full = new AppError(507, 'The disk of the server is full, so this was not stored. Make room on it and try again.')
const unwritable = new AppError(
  507,
  'The disk of the server cannot be written, so this was not stored. Check the disk.',
)
const damaged = new AppError(
  503,
  'The database of the server is damaged. Nothing is stored until a copy is put in its place; the Health page says more.',
)

export const databaseAway = new AppError(
  503,
  'The database server does not answer, so this was not done. Try again in a moment; the Health page says more.',
)
/** Code of a write of which nobody knows whether it was stored. */
export const outcomeUnknown = 'OUTCOME_UNKNOWN'
const unknown = new AppError(
  503,
  'The connection to the database was lost while this was stored. Look whether it is there before you try again.',
)
const busy = new AppError(503, 'The database was busy with other work, so this was not done. Try again.')
const fullDatabase = new AppError(
  507,
  'The disk of the database server is full, so this was not stored. Make room on it and try again.',
)
const withZero = new AppError(400, 'A text holds a character with the code 0, which cannot be stored. Remove it.')

/** Failures of disk and database that are no bugs, by the code of their error. */
const storageFailures: Readonly<Record<string, AppError>> = {
  ENOSPC: full,
  EDQUOT: full,
  SQLITE_FULL: full,
  EROFS: unwritable,
  SQLITE_IOERR: unwritable,
  SQLITE_READONLY: unwritable,
  SQLITE_CORRUPT: damaged,
  SQLITE_NOTADB: damaged,
  [outcomeUnknown]: unknown,
  '08000': databaseAway,
  '08001': databaseAway,
  '08003': databaseAway,
  '08004': databaseAway,
  '08006': databaseAway,
  '53300': databaseAway,
  '57P01': databaseAway,
  '57P02': databaseAway,
  '57P03': databaseAway,
  '25006': databaseAway,
  '40001': busy,
  '40P01': busy,
  '55P03': busy,
  '57014': busy,
  '25P03': busy,
  '53100': fullDatabase,
  '53200': busy,
  '22021': withZero,
  '22P05': withZero,
}

/** Code of an error, or of the error that a library wrapped into it. */
export function codeOf(error: unknown): string | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 5; depth++) {
    const { code, parent, cause } = each as { code?: unknown; parent?: unknown; cause?: unknown }
    if (typeof code === 'string') {
      return code
    }
    each = parent ?? cause
  }
  return undefined
}

/** Names of Sequelize's errors while the database server cannot be reached. */
const awayNames = /^Sequelize(Connection|Host|Access|InvalidConnection)/

const isAway = (error: unknown) => error instanceof Error && awayNames.test(error.name)

/** Failure for the client: an AppError itself, or a sentence where disk or database cannot store; undefined for a bug. */
export const clientError = (error: unknown): AppError | undefined =>
  error instanceof AppError
    ? error
    : (storageFailures[codeOf(error) ?? ''] ?? (isAway(error) ? databaseAway : undefined))

/** Whether the database file itself is damaged. */
export const isDamage = (error: unknown): boolean => storageFailures[codeOf(error) ?? ''] === damaged

/** Converts any thrown value to a problem that is safe to send. */
export function toProblem(thrown: unknown, traceId: string): ProblemDetails {
  const error = clientError(thrown)
  if (!error) {
    return { type: problemType(500), title: problemKinds[500][0], status: 500, traceId }
  }
  return {
    type: problemType(error.status),
    title: error.title ?? problemKinds[error.status][0],
    status: error.status,
    ...(error.message !== '' && { detail: error.message }),
    traceId,
    ...(error.code !== undefined && { code: error.code }),
    ...(error.existingId !== undefined && { existingId: error.existingId }),
    ...(error.firstEventId !== undefined && { firstEventId: error.firstEventId }),
    ...(error.fields && { errors: error.fields }),
  }
}
