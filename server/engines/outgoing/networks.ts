import { BlockList, isIPv4 } from 'node:net'

/** Networks that are not the internet: this machine, private ones, metadata services, and what wraps their addresses. */
const closed = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Metadata of Azure, at a public address.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** Parts of the IPv6 addresses of the internet that lead elsewhere. */
const closed6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const closedList = new BlockList()
closed.forEach(([address, bits]) => closedList.addSubnet(address, bits, 'ipv4'))
closed6.forEach(([address, bits]) => closedList.addSubnet(address, bits, 'ipv6'))
const internetList = new BlockList()
internetList.addSubnet('2000::', 3, 'ipv6')

/** The IPv4 address within `::ffff:10.0.0.1`. */
const plain = (address: string) => address.replace(/^::ffff:(\d+\.\d+\.\d+\.\d+)$/i, '$1')

const familyOf = (address: string) => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** List of networks such as `10.1.0.0/16`. */
function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [base = '', bits] = network.split('/')
    list.addSubnet(base, Number(bits), familyOf(base))
  }
  return list
}

/**
 * True for an address of the internet, or of a network that the owner has allowed. Networks that this machine is in are
 * `own`: with IPv6, the router and other machines beside it have addresses of the internet.
 */
export function isReachable(given: string, allowed: readonly string[], own: readonly string[]): boolean {
  const address = plain(given)
  const family = familyOf(address)
  const isClosed = closedList.check(address, family) || listOf(own).check(address, family)
  return (
    listOf(allowed).check(address, family) || (!isClosed && (family === 'ipv4' || internetList.check(address, family)))
  )
}
