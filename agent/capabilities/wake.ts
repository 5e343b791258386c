import { createSocket } from 'node:dgram'
import { networkInterfaces } from 'node:os'
import type { Log } from '../base/log.ts'

export interface WakeDependencies {
  log: Log
  /** Destination addresses; by default every network of this device. */
  addresses?: readonly string[]
  port?: number
}

const discardPort = 9
const addressesInPacket = 16

/** Wake-on-LAN packet: 6 × FF, then 16 × the address; undefined for an invalid MAC address. */
export function magicPacket(macAddress: string): Buffer | undefined {
  const digits = macAddress.replace(/[:.-]/g, '')
  if (!/^[0-9a-f]{12}$/i.test(digits)) {
    return undefined
  }
  const mac = Buffer.from(digits, 'hex')
  return Buffer.concat([Buffer.alloc(6, 0xff), ...Array.from({ length: addressesInPacket }, () => mac)])
}

const numberOf = (address: string) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
const addressOf = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 0xff).join('.')

/** Broadcast address of an IPv4 network. */
export const broadcastAddress = (address: string, netmask: string): string =>
  addressOf((numberOf(address) | ~numberOf(netmask)) >>> 0)

/**
 * Broadcast addresses of all networks of this device. The general broadcast is sent through one interface only, so each
 * network's own broadcast address is added.
 */
function allNetworks(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  const own = addresses.filter(({ family, internal }) => family === 'IPv4' && !internal)
  return [...new Set(['255.255.255.255', ...own.map(({ address, netmask }) => broadcastAddress(address, netmask))])]
}

/** Broadcasts Wake-on-LAN packets for these MAC addresses; invalid addresses are skipped. */
export async function wake(
  macAddresses: readonly string[],
  { log, addresses = allNetworks(), port = discardPort }: WakeDependencies,
): Promise<void> {
  const packets = macAddresses.map(magicPacket).filter((packet) => packet !== undefined)
  const socket = createSocket('udp4')
  const send = (packet: Buffer, address: string) =>
    new Promise<void>((resolve) => {
      socket.send(packet, port, address, (error) => {
        if (error) {
          log.warn({ address, error }, 'A network could not be reached')
        }
        resolve()
      })
    })
  try {
    await new Promise<void>((resolve, reject) => socket.once('error', reject).bind(0, resolve))
    socket.setBroadcast(true)
    await Promise.all(addresses.flatMap((address) => packets.map((packet) => send(packet, address))))
    log.info({ devices: packets.length, networks: addresses.length }, 'Sent Wake-on-LAN packets')
  } catch (error) {
    log.error({ error }, 'No Wake-on-LAN packet was sent')
  } finally {
    socket.close()
  }
}
