import { BlockList, isIPv4 } from 'node:net'

/** Networks that are not the internet: this machine, private ones, metadata services, and what wraps their addresses. */
const closed = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
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

/** True for an address of the internet, or of a network that the owner has allowed, such as `10.1.0.0/16`. */
export function isReachable(given: string, allowed: readonly string[]): boolean {
  const address = plain(given)
  const family = familyOf(address)
  const list = new BlockList()
  for (const network of allowed) {
    const [base = '', bits] = network.split('/')
    list.addSubnet(base, Number(bits), familyOf(base))
  }
  return (
    list.check(address, family) ||
    (!closedList.check(address, family) && (family === 'ipv4' || internetList.check(address, family)))
  )
}
