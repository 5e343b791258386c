import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { Cancel, Clock } from '../../clock.ts'

/** A peer that takes nothing of its answers for so long is disconnected. */
const patienceMs = 30_000
const lookMs = 5_000

interface Inside {
  _handle?: { writeQueueSize?: number } | null
  /** The socket below TLS. */
  _parent?: Inside | null
}

/** What waits for the peer, as a text that changes with every byte it takes; undefined when nothing does. */
function waitingFor(socket: Socket): string | undefined {
  // The part of a large write that the system has not taken: Node looks at it for its own time limits as well.
  const { _handle: handle, _parent: below } = socket as Inside
  const { bytesWritten, writableLength } = socket
  const queued = `${handle?.writeQueueSize ?? 0} ${below?._handle?.writeQueueSize ?? 0}`
  return writableLength > 0 ? `${bytesWritten - writableLength} ${queued}` : undefined
}

/** Disconnects peers that ask and do not read: their answers would be held for ever. */
export class StuckReaders {
  readonly #clock: Clock
  /** Open sockets: for what each of them waits, and since when. */
  readonly #sockets = new Map<Socket, { waiting: string | undefined; since: number }>()
  /** Stops looking. */
  readonly stop: Cancel

  constructor(clock: Clock) {
    this.#clock = clock
    this.stop = clock.every(lookMs, () => this.#look())
  }

  watch(server: Server | TlsServer): void {
    const sockets = this.#sockets
    function forget(this: Socket) {
      sockets.delete(this)
    }
    // Below TLS nothing is seen to wait.
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#sockets.set(socket, { waiting: undefined, since: 0 })
      socket.on('close', forget)
    })
  }

  #look(): void {
    const now = this.#clock.monotonic()
    for (const [socket, seen] of this.#sockets) {
      const waiting = waitingFor(socket)
      if (waiting === undefined || waiting !== seen.waiting) {
        seen.waiting = waiting
        seen.since = now
      } else if (now - seen.since >= patienceMs) {
        socket.destroy()
      }
    }
  }
}
