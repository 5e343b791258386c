import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { Payload } from '../protocol/messages.ts'
import type { Transport, TransportPeer } from './transport.ts'

const normalClosure = 1000
const lostWithoutCloseFrame = 1006
const textFrame = { binary: false }
const binaryFrame = { binary: true }
const ignore = () => {}

/** Sends hub messages as WebSocket messages. The boundaries of incoming WebSocket messages have no meaning. */
export class WebSocketTransport implements Transport {
  readonly name = 'WebSockets'
  readonly carriesBinary = true
  readonly isContinuous = true
  readonly isReachable = true
  format: 'Text' | 'Binary' = 'Text'
  readonly #webSocket: WebSocket
  readonly #socket: Socket
  /** Number of reasons to pause reading. */
  #pauses = 0

  constructor(webSocket: WebSocket, socket: Socket, peer: TransportPeer) {
    this.#webSocket = webSocket
    this.#socket = socket
    webSocket.on('message', (chunk: Buffer) => {
      const room = peer.receive(chunk)
      if (room) {
        this.#pauseUntil(room)
      }
    })
    webSocket.on('close', (code) => peer.transportClosed(code !== lostWithoutCloseFrame))
    // 'close' follows every error and is handled above.
    webSocket.on('error', ignore)
    socket.on('drain', () => peer.drained())
  }

  #pauseUntil(ready: Promise<void>): void {
    this.#pauses++
    this.#webSocket.pause()
    void ready.then(() => {
      if (--this.#pauses === 0) {
        this.#webSocket.resume()
      }
    })
  }

  get bufferedBytes(): number {
    return this.#socket.writableNeedDrain ? this.#socket.writableLength : 0
  }

  get writeMark(): number | undefined {
    const buffered = this.#socket.writableLength
    // `bytesWritten` includes buffered bytes.
    return buffered > 0 ? this.#socket.bytesWritten - buffered : undefined
  }

  write(payload: Payload): void {
    this.#webSocket.send(payload, this.format === 'Text' ? textFrame : binaryFrame)
  }

  end(): void {
    this.#webSocket.close(normalClosure)
  }

  destroy(): void {
    this.#webSocket.terminate()
  }
}
