import type { Duplex } from 'node:stream'
import type { FairQueue } from '../flow/fair-queue.ts'

/**
 * Queues an upgrade in the fair queue: an upgrade costs as much as several pieces of input. Closes the socket of a
 * client that sends before the response, which WebSocket forbids: such input is not counted.
 */
export function queueUpgrade(
  queue: FairQueue,
  address: string,
  { socket, head }: { socket: Duplex; head: Buffer },
  upgrade: () => void,
): void {
  const push = socket.push.bind(socket)
  socket.push = () => {
    socket.destroy()
    return false
  }
  if (head.length > 0) {
    socket.destroy()
  }
  queue.add(address, () => {
    // Assigned, not deleted: V8 keeps an object with a deleted member as a hash table, which takes 3 KB for a socket.
    socket.push = push
    if (!socket.destroyed) {
      upgrade()
    }
  })
}
