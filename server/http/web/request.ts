import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../machine.ts'

/** Finds the address of the peer behind any number of trusted proxies. */
export type RemoteAddressOf = (request: IncomingMessage) => string

/** An IPv4-mapped IPv6 address as IPv4; any other unchanged. */
export const unmapped = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** The 16-bit groups of an IPv6 address, those that `::` stands for among them. */
function groupsOf(address: string): string[] {
  const [start = '', end] = address.replace(/%.*/, '').split('::')
  const split = (text: string) => (text === '' ? [] : text.split(':'))
  const [first, last] = [split(start), split(end ?? '')]
  const missing = 8 - first.length - last.length - (address.includes('.') ? 1 : 0)
  return [...first, ...Array.from({ length: end === undefined ? 0 : missing }, () => '0'), ...last]
}

/**
 * Whom to count behind an address, wherever peers are limited: an IPv4 address itself, of an IPv6 address the network
 * of 64 bits, of which one computer may use every address.
 */
export function countedAddress(address: string): string {
  if (!isIPv6(address)) {
    return address
  }
  const network = groupsOf(address).slice(0, 4)
  return `${network.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`
}

const family = (address: string) => (isIPv6(address) ? 'ipv6' : 'ipv4')

function blockListOf(entries: readonly string[]) {
  const list = new BlockList()
  for (const entry of entries) {
    const [address = '', prefix] = entry.split('/')
    if (prefix === undefined) {
      list.addAddress(address, family(address))
    } else {
      list.addSubnet(address, Number(prefix), family(address))
    }
  }
  return list
}

/** Tells for an address whether it is one of `trusted`, which holds addresses and CIDR ranges, or is `'all'`. */
export function addressMatcher(trusted: readonly string[] | 'all'): (address: string) => boolean {
  const list = trusted === 'all' ? undefined : blockListOf(trusted)
  return (address) => !list || list.check(address, family(address))
}

/**
 * `trusted` holds addresses and CIDR ranges whose `X-Forwarded-For` is believed, or `'all'`. The header is read from
 * the right: the first address that is not a trusted proxy is the peer.
 */
export function remoteAddressReader(trusted: readonly string[] | 'all'): RemoteAddressOf {
  const isTrusted = addressMatcher(trusted)
  return (request) => {
    let address = unmapped(request.socket.remoteAddress ?? '')
    const forwarded = request.headers['x-forwarded-for']
    if (forwarded === undefined || trusted.length === 0) {
      return address
    }
    const hops = String(forwarded)
      .split(',')
      .map((hop) => unmapped(hop.trim()))
    while (isTrusted(address)) {
      const hop = hops.pop()
      if (hop === undefined || (!isIPv4(hop) && !isIPv6(hop))) {
        break
      }
      address = hop
    }
    return address
  }
}

/** Whether an address is of this machine alone. */
export const isLoopback = addressMatcher(['127.0.0.0/8', '::1'])

/** What proxies add to the requests that they pass on. */
const forwardingHeaders = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'x-real-ip', 'via']

/** The name in a Host header, in lower case and without the port; empty for what is no host. */
export const nameIn = (host: string): string => /^(\[[\da-f:.]+\]|[\w.-]+)(:\d+)?$/.exec(host.toLowerCase())?.[1] ?? ''

/**
 * Whether a request was made on this machine, to it by a name that leads nowhere else. One that a proxy on it passes on
 * was not, as far as can be told, whether the proxy is trusted or not. Nor was one to any other name, even one of ours:
 * who answers for names on the network can have a page of his own ask in a browser of this machine.
 */
export const isLocalRequest = ({ socket, headers }: IncomingMessage): boolean =>
  isLoopback(unmapped(socket.remoteAddress ?? '')) &&
  isLoopbackHost(nameIn(headers.host ?? '')) &&
  forwardingHeaders.every((name) => headers[name] === undefined)

/** Whether TLS ends here. */
export const isEncrypted = ({ socket }: IncomingMessage) => 'encrypted' in socket && socket.encrypted === true

/**
 * Tells whether a browser sent this request from a page of another site. `unknown`: no browser header says so, which is
 * fine only for a request without a cookie. A page that came without TLS may be of anybody, so it is another site where
 * TLS ends here; behind a proxy that ends it the schemes differ, and are not compared.
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

/** Path without the query, as it came; of an address in absolute form (RFC 9112 section 3.2.2) the path in it. */
export const pathOf = ({ url = '/' }: IncomingMessage) => {
  const path = url.startsWith('/') ? url : url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '')
  const end = path.indexOf('?')
  return end === -1 ? path : path.slice(0, end)
}
