import { BlockList, isIPv4, isIPv6 } from 'node:net'
import type { IncomingMessage } from 'node:http'

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
