import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'

/** Time for which a browser may cache a preflight response, in seconds. */
const maxAge = 600

/** Response headers that pages of other origins may read. */
const exposedHeaders = [
  'accept-ranges',
  'allow',
  'api-supported-versions',
  'content-disposition',
  'content-range',
  'deprecation',
  'etag',
  'link',
  'location',
  'repr-digest',
  'retry-after',
  'traceparent',
  'www-authenticate',
  'x-ignored',
  'x-request-id',
]

/**
 * Allows pages of some origins to read responses, with credentials, any method and any headers. Requests of other
 * origins pass unchanged: browsers do not let their pages read the responses.
 */
export function crossOrigin(origins: readonly string[]) {
  const allowed = new Set(origins)
  const allow = cors({ origin: true, credentials: true, exposedHeaders, maxAge })
  return (request: IncomingMessage, response: ServerResponse, next: () => void): void => {
    response.appendHeader('vary', 'Origin')
    if (request.headers.origin !== undefined && allowed.has(request.headers.origin)) {
      allow(request, response, next)
    } else {
      next()
    }
  }
}
