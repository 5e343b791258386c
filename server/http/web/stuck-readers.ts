import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { Cancel, Clock } from '../../ground/clock.ts'

/** Time without progress after which a peer is disconnected. */
const stuckAfterMs = 30_000
const checkMs = 5_000

interface Inside {
  _handle?: { writeQueueSize?: number } | null
  /** The socket below TLS. */
  _parent?: Inside | null
}

/** State of the unsent output, as a text that changes with every byte sent; undefined without output. */
function unsentOf(socket: Socket): string | undefined {
  // The unsent part of a large write: Node uses the same handle field for its own time limits.
  const { _handle: handle, _parent: below } = socket as Inside
  const { bytesWritten, writableLength } = socket
  const queued = `${handle?.writeQueueSize ?? 0} ${below?._handle?.writeQueueSize ?? 0}`
  return writableLength > 0 ? `${bytesWritten - writableLength} ${queued}` : undefined
}

/** Disconnects peers that do not read their responses, which would stay in memory forever. */
export class StuckReaders {
  readonly #clock: Clock
  /** Unsent output of each open socket, and the time of its last change. */
  readonly #sockets = new Map<Socket, { unsent: string | undefined; since: number }>()
  /** Stops the checks. */
  readonly stop: Cancel

  constructor(clock: Clock) {
    this.#clock = clock
    this.stop = clock.every(checkMs, () => this.#check())
  }

  watch(server: Server | TlsServer): void {
    const sockets = this.#sockets
    function forget(this: Socket) {
      sockets.delete(this)
    }
    // Output is queued on the TLS socket, not on the socket below.
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#sockets.set(socket, { unsent: undefined, since: 0 })
      socket.on('close', forget)
    })
  }

  #check(): void {
    const now = this.#clock.monotonic()
    for (const [socket, seen] of this.#sockets) {
      const unsent = unsentOf(socket)
      if (unsent === undefined || unsent !== seen.unsent) {
        seen.unsent = unsent
        seen.since = now
      } else if (now - seen.since >= stuckAfterMs) {
        socket.destroy()
      }
    }
  }
}
