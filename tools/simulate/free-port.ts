import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Finds an unused TCP port, for a program that cannot choose one itself: below those that the system gives to
 * connections, which would take it before its use, and above 10080, which browsers and fetch refuse.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_081, 32_000)
  const server = createServer()
  const isFree = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false)).listen(port, () => resolve(true))
  })
  if (!isFree) {
    return freePort()
  }
  server.close()
  await once(server, 'close')
  return port
}

/** Finds an unused UDP port. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0)
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}
