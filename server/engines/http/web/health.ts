import type { IncomingMessage } from 'node:http'
import type { Response } from './response.ts'
import { pathOf } from './request.ts'

/** Health checks by path; true if this server is well. */
export type HealthChecks = Readonly<Record<string, () => boolean | Promise<boolean>>>

/** Answers a health check; undefined for all other requests. */
export function healthAnswer(
  checks: HealthChecks,
  request: IncomingMessage,
): ((response: Response) => Promise<void>) | undefined {
  const path = pathOf(request).toLowerCase().replace(/\/$/, '')
  const isRead = request.method === 'GET' || request.method === 'HEAD'
  const check = isRead && Object.hasOwn(checks, path) ? checks[path] : undefined
  if (!check) {
    return undefined
  }
  return async (response) => {
    const isHealthy = await check()
    const text = isHealthy ? 'Healthy' : 'Unhealthy'
    response.writeHead(isHealthy ? 200 : 503, [
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
