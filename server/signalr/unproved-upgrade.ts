import type { Duplex } from 'node:stream'
import type { FairQueue } from '../fair-queue.ts'

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
  const own: Partial<Pick<Duplex, 'push'>> = socket
  own.push = () => {
    socket.destroy()
    return false
  }
  if (head.length > 0) {
    socket.destroy()
  }
  queue.add(address, () => {
    delete own.push
    if (!socket.destroyed) {
      upgrade()
    }
  })
}
