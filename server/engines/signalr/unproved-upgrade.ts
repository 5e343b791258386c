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
  const drop = () => void socket.destroy()
  if (head.length > 0 || socket.readableLength > 0) {
    drop()
  }
  socket.on('readable', drop)
  queue.add(address, () => {
    socket.off('readable', drop)
    if (!socket.destroyed) {
      upgrade()
    }
  })
}
