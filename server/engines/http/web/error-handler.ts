import { clientError, toProblem, type AppError } from '../../../ground/errors.ts'
import type { Log } from '../../../ground/log.ts'
import { requestIdHeader, Response } from './response.ts'

/** Challenges of a 401 (RFC 9110 section 11.6.1). None of them makes a browser ask for a password. */
const challenges = 'ApiKey header="x-api-key", ApiKey header="x-personal-token", Bearer realm="api"'

/** Headers of a failure. */
export function headersOf(status: number, error: AppError | undefined): Record<string, string> {
  const given = error?.headers ?? {}
  return status === 401 ? { 'www-authenticate': challenges, ...given } : given
}

/** Sends any failure as problem details; logs an unexpected failure once, with its cause. */
export function sendError(response: Response, error: unknown, log: Log): void {
  if ((error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE') {
    // The client disconnected during the response.
    return
  }
  const traceId = Response.requestIdOf(response)
  const expected = clientError(error)
  if (!expected) {
    log.error({ err: error, traceId }, 'A request failed unexpectedly.')
  } else if (expected !== error) {
    log.warn({ err: error, traceId }, expected.message)
  }
  if (response.headersSent) {
    // The status is already sent: only a closed connection shows the client that the body is incomplete.
    response.destroy()
    return
  }
  const problem = toProblem(error, traceId)
  for (const [name, value] of Object.entries(headersOf(problem.status, expected))) {
    response.setHeader(name, value)
  }
  response.setHeader(requestIdHeader, traceId)
  const body = JSON.stringify(problem)
  response.writeHead(problem.status, {
    'content-type': 'application/problem+json',
    'cache-control': 'no-store',
    // Without its length, a body too short for compression would be compressed, which takes longer than the rest of the response.
    'content-length': Buffer.byteLength(body),
  })
  response.end(body)
}
