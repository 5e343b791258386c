import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { Server as TlsServer } from 'node:tls'
import type { Cancel, Clock } from '../../../ground/clock.ts'

/** Time without progress after which a peer is disconnected. */
const stuckAfterMs = 30_000
const checkMs = 5_000
/** Minimum rate of a single large write, whose progress Node does not show: 16 KiB per second. */
const minBytesPerMs = 16

/** Output that the system has taken; undefined if all of it. */
const takenOf = ({ bytesWritten, writableLength }: Socket): number | undefined =>
  writableLength > 0 ? bytesWritten - writableLength : undefined

/** Disconnects peers that do not read their responses, which would stay in memory forever. */
export class StuckReaders {
  readonly #clock: Clock
  /** Output of each open socket that the system has taken, and the time of its last change. */
  readonly #sockets = new Map<Socket, { taken: number | undefined; since: number }>()
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
      this.#sockets.set(socket, { taken: undefined, since: 0 })
      socket.on('close', forget)
    })
  }

  #check(): void {
    const now = this.#clock.monotonic()
    for (const [socket, seen] of this.#sockets) {
      const taken = takenOf(socket)
      if (taken === undefined || taken !== seen.taken) {
        seen.taken = taken
        seen.since = now
      } else if (now - seen.since >= stuckAfterMs + socket.writableLength / minBytesPerMs) {
        socket.destroy()
      }
    }
  }
}
