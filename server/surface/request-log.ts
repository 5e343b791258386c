import type { IncomingMessage } from 'node:http'
import type { Log } from '../ground/log.ts'

/** First segments of paths that name routes and files; what follows is no secret there. */
const named = new Set(['api', 'assets', 'downloads', 'hubs', 'openapi', '.well-known'])

/** Path without what may be a secret: links to pages, such as those of invitations, carry codes (T16). */
function loggedPath(url: string): string {
  const path = url.split('?')[0] ?? ''
  const [, first = '', ...rest] = path.split('/')
  return rest.length === 0 || named.has(first) ? path : `/${first}/…`
}

/**
 * Logs each answered request except `/health`, which is polled. Queries are left out, because they may contain secrets.
 */
export const requestLog = (log: Log) => (request: IncomingMessage, status: number, durationMs: number) => {
  const path = loggedPath(request.url ?? '')
  if (path !== '/health') {
    log.info({ method: request.method, path, status, durationMs }, 'Request.')
  }
}
