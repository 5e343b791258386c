import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Config } from '../../settings/config.ts'
import { AppError, forbidden, unauthorized } from '../../ground/errors.ts'
import { sendError } from '../../engines/http/web/error-handler.ts'
import { isLocalRequest } from '../../engines/http/web/request.ts'
import type { Endpoint } from '../../engines/http/web/upgrade.ts'
import type { Log } from '../../ground/log.ts'
import type { Telemetry } from './telemetry.ts'

/** Whether a setting allows anybody to read metrics. */
export const isScraped = ({ token, allowLocal }: Config['metrics']): boolean => token !== undefined || allowLocal

const hashOf = (text: string) => createHash('sha256').update(text).digest()

/** Throws unless a request has the token, or comes from this machine where that is enough. */
function admit(request: IncomingMessage, { token, allowLocal }: Config['metrics']): void {
  if (allowLocal && isLocalRequest(request)) {
    return
  }
  if (token === undefined) {
    throw forbidden('Metrics are read on this machine only. Set Service_Metrics__Token to read them from others.')
  }
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1]
  if (given === undefined || !timingSafeEqual(hashOf(given), hashOf(token))) {
    throw unauthorized('Send the token of Service_Metrics__Token as Authorization: Bearer.')
  }
}

/** `/metrics` for Prometheus, off until a setting allows it. */
export const createMetricsEndpoint = (
  settings: Config['metrics'],
  { telemetry, log, checkHost }: { telemetry: Telemetry; log: Log; checkHost(request: IncomingMessage): void },
): Endpoint => ({
  path: '/metrics',
  async request(request, response) {
    try {
      checkHost(request)
      if (request.method !== 'GET') {
        throw new AppError(405, 'Use GET.', { headers: { allow: 'GET' } })
      }
      admit(request, settings)
      const text = await telemetry.metricsText()
      response.writeHead(200, {
        'content-type': 'text/plain; version=0.0.4; charset=utf-8',
        'cache-control': 'no-store',
      })
      response.end(text)
    } catch (error) {
      sendError(response, error, log)
    }
  },
})
