import type { IncomingMessage } from 'node:http'
import type { Log } from './log.ts'

/**
 * Logs each answered request except `/health`, which is polled. Queries are left out, because they may contain secrets.
 */
export const requestLog = (log: Log) => (request: IncomingMessage, status: number, durationMs: number) => {
  const path = request.url?.split('?')[0]
  if (path !== '/health') {
    log.info({ method: request.method, path, status, durationMs }, 'Request.')
  }
}
