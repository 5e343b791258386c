import { isLoopback } from './request.ts'
import type { SocketLimits } from './sockets.ts'

/**
 * Open connections: of everybody, of one address, behind which a whole office may sit, and of this machine, whose
 * programs and proxies share an address. Others always find a place beside those.
 */
const total = 20_000
const ofOneAddress = 4_000
const ofLoopback = 16_000

/** How many connections to a hub one peer may have, whatever proxies it comes through. */
export const maxHubConnectionsOf = (address: string): number => (isLoopback(address) ? ofLoopback : ofOneAddress)

/** The same for sockets. Through a trusted proxy come many peers: what each of them may open, the hubs count. */
export const socketLimits = (isProxy: (address: string) => boolean): SocketLimits => ({
  total,
  ofAddress: (address) => (isProxy(address) && !isLoopback(address) ? total : maxHubConnectionsOf(address)),
})
