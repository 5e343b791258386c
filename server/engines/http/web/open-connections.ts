import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'

/** "Going away" of RFC 6455: the client may reconnect, to another address. */
const goingAway = 1001
/** Payload limit of a close frame, without the two bytes of the code. */
const maxReasonBytes = 123

/** Encodes a server's WebSocket close frame. */
function closeFrame(reason: string): Buffer {
  const text = Buffer.from(reason).subarray(0, maxReasonBytes)
  const head = Buffer.from([0x88, text.length + 2, 0, 0])
  head.writeUInt16BE(goingAway, 2)
  return Buffer.concat([head, text])
}

/** The open connections of one listener, to close when that listener is removed. */
export class OpenConnections {
  readonly #sockets = new Set<Duplex>()
  readonly #upgraded = new Set<Duplex>()
  /** Connections without a request yet. */
  readonly #silent = new Set<Duplex>()

  watch(server: Server): void {
    const sets = [this.#sockets, this.#upgraded, this.#silent]
    // A shared function: separate closures for thousands of connections would use much memory.
    function forget(this: Duplex) {
      sets.forEach((set) => set.delete(this))
    }
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', forget)
    })
    // Requests are emitted on the TLS socket only.
    server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.#silent.add(socket)
      if (!this.#sockets.has(socket)) {
        socket.on('close', forget)
      }
    })
    server.on('request', ({ socket }: IncomingMessage) => this.#silent.delete(socket))
    server.on('upgrade', (_request: unknown, socket: Duplex) => {
      this.#silent.delete(socket)
      this.#upgraded.add(socket)
    })
  }

  /** Drops connections without a request, which browsers open in advance: a closing server would wait for them. */
  dropSilent(): void {
    this.#silent.forEach((socket) => socket.destroy())
  }

  /**
   * Sends a close frame with the reason to all WebSockets. All writers write whole frames per event-loop iteration, so
   * this frame lands between two frames.
   */
  close(reason: string): void {
    this.#upgraded.forEach((socket) => socket.end(closeFrame(reason)))
  }

  drop(): void {
    this.#sockets.forEach((socket) => socket.destroy())
  }
}
