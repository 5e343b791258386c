import type { Duplex } from 'node:stream'
import type { FairQueue } from '../fair-queue.ts'

/**
 * Runs an upgrade when it is the turn of its address: an upgrade costs as much as several pieces of input. Closes the socket
 * of a client that sends before it is answered, which WebSockets forbid: nobody counts what would wait here.
 */
export function upgradeInTurn(
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
