import type { Endpoint } from '../http/web/upgrade.ts'

/**
 * Nothing, for pages of any origin: whether a browser gets it at an encrypted address tells whether it trusts the
 * certificate there. Other answers are kept from other origins.
 */
export const trustProbe: Endpoint = {
  path: '/trust-probe',
  request(_request, response) {
    response.setHeader('cross-origin-resource-policy', 'cross-origin')
    response.writeHead(204, { 'cache-control': 'no-store' })
    response.end()
  },
}
