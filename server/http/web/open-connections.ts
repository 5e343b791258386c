import type { IncomingMessage } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Server as TlsServer } from 'node:tls'

/** "Going away" of RFC 6455: the client may come back, by another address. */
const goingAway = 1001
/** Of the payload of a close frame two bytes are the code. */
const maxReasonBytes = 123

/** A WebSocket close frame of a server. */
function closeFrame(reason: string): Buffer {
  const text = Buffer.from(reason).subarray(0, maxReasonBytes)
  const head = Buffer.from([0x88, text.length + 2, 0, 0])
  head.writeUInt16BE(goingAway, 2)
  return Buffer.concat([head, text])
}

/** The open connections of one server: what has to be told, and dropped, when it goes and the others stay. */
export class OpenConnections {
  readonly #sockets = new Set<Duplex>()
  readonly #upgraded = new Set<Duplex>()
  /** Those that have asked for nothing yet. */
  readonly #silent = new Set<Duplex>()

  watch(server: Server): void {
    const sets = [this.#sockets, this.#upgraded, this.#silent]
    // One function for all of them: of one for each, thousands of connections would hold much.
    function forget(this: Duplex) {
      sets.forEach((set) => set.delete(this))
    }
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', forget)
    })
    // Below TLS there are no requests.
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

  /** Drops those that have asked for nothing, which browsers open ahead: a server that ends would wait for them. */
  dropSilent(): void {
    this.#silent.forEach((socket) => socket.destroy())
  }

  /** Tells WebSockets why they end. Whoever writes to one writes whole frames in each turn, so this comes between two. */
  tell(reason: string): void {
    this.#upgraded.forEach((socket) => socket.end(closeFrame(reason)))
  }

  drop(): void {
    this.#sockets.forEach((socket) => socket.destroy())
  }
}
