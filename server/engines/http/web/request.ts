import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../../ground/machine.ts'

/** Finds the address of the peer behind any number of trusted proxies. */
export type RemoteAddressOf = (request: IncomingMessage) => string

/** An IPv4-mapped IPv6 address as IPv4; any other address unchanged. */
export const unmapped = (address: string) => (address.startsWith('::ffff:') ? address.slice(7) : address)

/** The 16-bit groups of an IPv6 address, with `::` expanded. */
function groupsOf(address: string): string[] {
  const [start = '', end] = address.replace(/%.*/, '').split('::')
  const split = (text: string) => (text === '' ? [] : text.split(':'))
  const [first, last] = [split(start), split(end ?? '')]
  const missing = 8 - first.length - last.length - (address.includes('.') ? 1 : 0)
  return [...first, ...Array.from({ length: end === undefined ? 0 : missing }, () => '0'), ...last]
}

/**
 * Key under which an address is limited: an IPv4 address itself, an IPv6 address by its /64 network, since one computer
 * can use all its addresses.
 */
export function countedAddress(address: string): string {
  // Cheaper than recognizing an address by a pattern, on every request.
  if (!address.includes(':')) {
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

/** Tests whether an address is in `trusted`, a list of addresses and CIDR ranges, or `'all'`. */
export function addressMatcher(trusted: readonly string[] | 'all'): (address: string) => boolean {
  const list = trusted === 'all' ? undefined : blockListOf(trusted)
  return (address) => !list || list.check(address, family(address))
}

/** Address in an entry of `X-Forwarded-For`: some proxies add the port, and brackets around IPv6. */
function addressOfHop(hop: string): string {
  const text = hop.trim()
  const [, bracketed] = /^\[([^\]]*)\](?::\d+)?$/.exec(text) ?? []
  return unmapped(bracketed ?? text.replace(/^([\d.]+):\d+$/, '$1'))
}

/**
 * Reads `X-Forwarded-For` of trusted proxies; `trusted` holds addresses and CIDR ranges, or is `'all'`. The header is
 * read from the right: the first untrusted address is the peer.
 */
export function remoteAddressReader(trusted: readonly string[] | 'all'): RemoteAddressOf {
  const isTrusted = addressMatcher(trusted)
  return (request) => {
    let address = unmapped(request.socket.remoteAddress ?? '')
    const forwarded = request.headers['x-forwarded-for']
    if (forwarded === undefined || trusted.length === 0) {
      return address
    }
    const hops = String(forwarded).split(',').map(addressOfHop)
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

/** True for addresses of this machine. */
export const isLoopback = addressMatcher(['127.0.0.0/8', '::1'])

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
