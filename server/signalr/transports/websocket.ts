import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { freeChunk } from '../../flow/chunk-blocks.ts'
import type { Payload } from '../protocol/messages.ts'
import type { Transport, TransportPeer } from './transport.ts'

const normalClosure = 1000
const lostWithoutCloseFrame = 1006
/** Length from which a text is encoded here, because `ws` counts its bytes first. */
const longText = 8_192
const textFrame = { binary: false }
const binaryFrame = { binary: true }
const ignore = () => {}

const longestCharacterBytes = 4

/** Encodes a text as UTF-8. Counting the bytes of a long ASCII text first would take longer than encoding the text. */
function utf8Of(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length + longestCharacterBytes)
  const length = bytes.write(text)
  return length === text.length ? bytes.subarray(0, length) : Buffer.from(text)
}

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
    if (typeof payload === 'string' && payload.length >= longText) {
      const bytes = utf8Of(payload)
      this.#webSocket.send(bytes, textFrame, () => freeChunk(Buffer.from(bytes.buffer)))
    } else {
      this.#webSocket.send(payload, this.format === 'Text' ? textFrame : binaryFrame)
    }
  }

  end(): void {
    this.#webSocket.close(normalClosure)
  }

  destroy(): void {
    this.#webSocket.terminate()
  }
}
