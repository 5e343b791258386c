import type { Endpoint } from '../engines/http/web/upgrade.ts'

/**
 * Empty answer for pages of any origin: a browser receives it at an encrypted address only if the browser trusts the
 * certificate. All other responses are blocked for other origins.
 */
export const trustProbe: Endpoint = {
  path: '/trust-probe',
  request(_request, response) {
    response.setHeader('cross-origin-resource-policy', 'cross-origin')
    response.writeHead(204, { 'cache-control': 'no-store' })
    response.end()
  },
}
