import { isLoopback } from './request.ts'
import type { SocketLimits } from './sockets.ts'

/**
 * Limits of open connections: in total, per address (which may serve a whole office), and from this machine, whose
 * programs and proxies share an address. Each single limit leaves room for others.
 */
const total = 20_000
const ofOneAddress = 4_000
const ofLoopback = 16_000

/** Maximum number of hub connections per peer, whatever proxies it uses. */
export const maxHubConnectionsOf = (address: string): number => (isLoopback(address) ? ofLoopback : ofOneAddress)

/** Socket limits. A trusted proxy carries many peers: the hubs limit each of these peers. */
export const socketLimits = (isProxy: (address: string) => boolean): SocketLimits => ({
  total,
  ofAddress: (address) => (isProxy(address) && !isLoopback(address) ? total : maxHubConnectionsOf(address)),
})
