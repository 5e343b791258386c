import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** Finds an unused UDP port, so that no other program receives the announcements. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0)
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}
