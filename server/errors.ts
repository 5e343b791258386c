import {
  problemKinds,
  problemType,
  type ProblemCode,
  type ProblemDetails,
  type ProblemStatus,
} from '../shared/contract/problem.ts'

/** A failure whose message is meant for the client. Any other error is a 500 without detail. */
export class AppError extends Error {
  override name = 'AppError'
  readonly status: ProblemStatus
  /** Messages by field name, for a rejected body or query. */
  readonly fields: Record<string, string[]> | undefined
  readonly title: string | undefined
  readonly code: ProblemCode | undefined
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
    this.headers = more.headers ?? {}
    this.isGuess = more.isGuess ?? false
    this.formerBody = more.formerBody
  }
}

export const badRequest = (detail: string) => new AppError(400, detail)
export const unauthorized = (detail = 'Sign in first.') => new AppError(401, detail)
export const forbidden = (detail = 'You do not have the permission for this.') => new AppError(403, detail)
export const conflict = (detail: string) => new AppError(409, detail)
/** `thing` in lower case: older clients expect the text "Device not found." */
export const notFound = (thing: string) =>
  new AppError(404, `${thing.charAt(0).toUpperCase()}${thing.slice(1)} not found.`)

/** A body or query that its schema rejects. */
export const invalid = (fields: Record<string, string[]>) =>
  new AppError(
    400,
    Object.entries(fields)
      .map(([name, messages]) => `${name} ${messages.join(', ')}`)
      .join('; '),
    {
      title: 'One or more validation errors occurred.',
      fields,
    },
  )

export const missingTenant = () =>
  new AppError(400, 'tenantId must be a non-empty GUID.', { title: 'Invalid tenant id.' })

/** Converts any thrown value to a problem that is safe to send. */
export function toProblem(error: unknown, traceId: string): ProblemDetails {
  if (!(error instanceof AppError)) {
    return { type: problemType(500), title: problemKinds[500][0], status: 500, traceId }
  }
  return {
    type: problemType(error.status),
    title: error.title ?? problemKinds[error.status][0],
    status: error.status,
    ...(error.message !== '' && { detail: error.message }),
    traceId,
    ...(error.code !== undefined && { code: error.code }),
    ...(error.fields && { errors: error.fields }),
  }
}
