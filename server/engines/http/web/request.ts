import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../../ground/machine.ts'
import { isLoopback, unmapped } from './remote-address.ts'

/** Headers added by proxies. */
const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip', 'via']

/** Host name of a Host header, in lower case and without the port; empty for an invalid host. */
export const nameIn = (host: string): string => /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/.exec(host.toLowerCase())?.[1] ?? ''

/**
 * True for a request made on this machine to a loopback name. False if a proxy on this machine forwarded the request,
 * trusted or not. False for any other name, even ours: an attacker who controls DNS could make a browser on this
 * machine send requests from their page.
 */
export const isLocalRequest = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(unmapped(socket.remoteAddress ?? '')) &&
  isLoopbackHost(nameIn(headers.host ?? '')) &&
  forwardingHeaders.every((name) => headers[name] === undefined)

/** True if TLS ends at this server. */
export const isEncrypted = ({ socket }: IncomingMessage) => 'encrypted' in socket && socket.encrypted === true

/**
 * Classifies the site of the page that sent a request. `unknown`: without a browser header, acceptable only without a
 * cookie. A page loaded without TLS may be forged, so it counts as foreign if TLS ends here; behind a TLS proxy the
 * schemes differ, and are not compared.
 */
export function requestSite(request: IncomingMessage, publicHost: string | undefined): 'own' | 'foreign' | 'unknown' {
  const { origin, host } = request.headers
  if (origin !== undefined) {
    const from = URL.parse(origin)
    const isOurs = from !== null && from.host !== '' && (from.host === host || from.host === publicHost)
    return isOurs && (from.protocol === 'https:' || !isEncrypted(request)) ? 'own' : 'foreign'
  }
  const site = request.headers['sec-fetch-site']
  return site === undefined ? 'unknown' : site === 'same-origin' || site === 'none' ? 'own' : 'foreign'
}

/** Path without the query, as received; for an address in absolute form (RFC 9112 section 3.2.2), its path. */
export const pathOf = ({ url = '/' }: IncomingMessage) => {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '')
  const end = path.indexOf('?')
  return end === -1 ? path : path.slice(0, end)
}
