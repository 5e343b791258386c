import { once } from 'node:events'
import { request } from 'node:https'
import { createServer, type Server } from 'node:net'
import type { NetworkInterfaceInfo } from 'node:os'
import { text } from 'node:stream/consumers'

/** Opens a listener on all interfaces. */
export async function takenPort(): Promise<Server> {
  const server = createServer().listen(0)
  await once(server, 'listening')
  return server
}

/** Network interface with these addresses, as listed by Node. */
export const card = (...addresses: string[]): NetworkInterfaceInfo[] =>
  addresses.map((address) =>
    address.includes(':')
      ? {
          address,
          netmask: 'ffff:ffff:ffff:ffff::',
          family: 'IPv6',
          mac: '02:00:00:00:00:01',
          internal: false,
          cidr: null,
          scopeid: 0,
        }
      : { address, netmask: '255.255.255.0', family: 'IPv4', mac: '02:00:00:00:00:01', internal: false, cidr: null },
  )

/**
 * Sends a GET over TLS that trusts this authority alone, without a check of the name. Rejects for another authority.
 */
export function secureGet(
  port: number,
  path: string,
  ca: string,
  host = '127.0.0.1',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      ca,
      headers: { host: `${host}:${port}` },
      servername: /[a-z]/.test(host) ? host : '',
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      text(response).then((content) => resolve({ status: response.statusCode ?? 0, text: content }), reject)
    })
    sent.end()
  })
}
