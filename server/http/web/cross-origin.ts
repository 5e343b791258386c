import type { IncomingMessage, ServerResponse } from 'node:http'
import cors from 'cors'

/** How long a browser may remember what it was allowed, in seconds. */
const maxAge = 600

/** Headers of ours that pages of other origins may read. */
const exposedHeaders = ['api-supported-versions', 'content-disposition', 'location', 'retry-after', 'x-request-id']

/**
 * Lets pages of some origins read our answers, with credentials, whatever method and headers they use. Requests of any
 * other origin are passed on unchanged: browsers do not let their pages read the answers.
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
