import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A UDP port that no program uses now: its announcements are heard by nobody else. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0)
  await once(socket, 'listening')
  const { port } = socket.address()
  socket.close()
  await once(socket, 'close')
  return port
}
