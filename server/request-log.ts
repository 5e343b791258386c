import type { IncomingMessage } from 'node:http'
import type { Log } from './log.ts'

/** Logs each answered request, but not `/health`, which is asked for all the time. Queries may hold secrets. */
export const requestLog = (log: Log) => (request: IncomingMessage, status: number, durationMs: number) => {
  const path = request.url?.split('?')[0]
  if (path !== '/health') {
    log.info({ method: request.method, path, status, durationMs }, 'Request.')
  }
}
