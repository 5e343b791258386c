import type { IncomingMessage } from 'node:http'
import { AppError } from '../../../ground/errors.ts'
import type { Log } from '../../../ground/log.ts'
import { sendError } from './error-handler.ts'
import type { Response } from './response.ts'
import { pathOf } from './request.ts'

/** Status of a health check. HAProxy keeps the running requests of a server with 404 (`disable-on-404`), and sends no more. */
export type HealthStatus = 200 | 404 | 503

/** Health checks by path. */
export type HealthChecks = Readonly<Record<string, () => HealthStatus | Promise<HealthStatus>>>

const allow = 'GET, HEAD'

/** Answers a health check; undefined for all other requests. */
export function healthAnswer(
  checks: HealthChecks,
  request: IncomingMessage,
  log: Log,
): ((response: Response) => Promise<void>) | undefined {
  const path = pathOf(request).toLowerCase().replace(/\/$/, '')
  const check = Object.hasOwn(checks, path) ? checks[path] : undefined
  if (!check) {
    return undefined
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return async (response) => sendError(response, new AppError(405, `Use ${allow}.`, { headers: { allow } }), log)
  }
  return async (response) => {
    const status = await check()
    const text = status === 200 ? 'Healthy' : 'Unhealthy'
    response.writeHead(status, [
      'cache-control',
      'no-store',
      'content-type',
      'text/plain; charset=utf-8',
      'content-length',
      String(text.length),
    ])
    response.end(text)
  }
}
