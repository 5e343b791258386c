import type { Socket } from 'node:net'
import { freeChunk } from '../../flow/chunk-blocks.ts'
import { FrameReader } from '../../flow/websocket/frame-reader.ts'
import {
  closeCodes,
  finalBit,
  FrameError,
  maxHeadBytes,
  opcodes,
  writeHead,
  type ControlOpcode,
} from '../../flow/websocket/frames.ts'
import type { Payload } from '../protocol/messages.ts'
import type { UnprovedPeer } from '../unproved-peer.ts'
import type { Transport, TransportPeer } from './transport.ts'

/** Length from which counting the bytes of an ASCII text takes longer than encoding the text. */
const longText = 8_192
const longestCharacterBytes = 4
/** Unsent output of a peer above which its pings are not answered: pongs would fill memory. */
const maxBytesBeforePong = 256 * 1024
/** Input and frames of an unproved peer that are read for each place in the fair queue. */
const turnBytes = 16 * 1024
const turnFrames = 32

/** Encodes a long text as UTF-8, into memory of its own. */
function utf8Of(text: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow(text.length + longestCharacterBytes)
  const length = bytes.write(text)
  if (length === text.length) {
    return bytes.subarray(0, length)
  }
  // `Buffer.from` would use the memory that Node shares among buffers, which must not be freed.
  const exact = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  exact.write(text)
  return exact
}

/** Encodes a text as a frame, in one piece: two pieces take a slower system call. */
function frameOf(opcode: number, text: string): Buffer {
  const length = Buffer.byteLength(text)
  const frame = Buffer.allocUnsafe(maxHeadBytes + length)
  const start = writeHead(frame, 0, finalBit | opcode, length)
  return frame.subarray(0, start + frame.write(text, start))
}

function closePayload(code: number): Buffer {
  const payload = Buffer.alloc(2)
  payload.writeUInt16BE(code)
  return payload
}

/**
 * Sends hub messages as WebSocket messages. The boundaries of incoming WebSocket messages have no meaning, so their
 * payload is passed on as it arrives, and only the message reader limits and buffers it.
 */
export class WebSocketTransport implements Transport {
  readonly name = 'WebSockets'
  readonly carriesBinary = true
  readonly isContinuous = true
  readonly isReachable = true
  format: 'Text' | 'Binary' = 'Text'
  readonly #socket: Socket
  readonly #peer: TransportPeer
  readonly #reader: FrameReader
  /** Number of reasons to pause reading. */
  #pauses = 0
  #hasSentClose = false
  /** True after a close frame of the peer, or an invalid frame: further input is ignored. */
  #hasEnded = false
  #isClean = false
  readonly #flow = (): void => void this.#socket.resume()
  /** Reads on after all pauses. */
  #resume = this.#flow

  constructor(socket: Socket, peer: TransportPeer, unproved?: UnprovedPeer) {
    this.#socket = socket
    this.#peer = peer
    this.#reader = new FrameReader(Infinity, {
      message: (piece) => this.#receive(piece),
      control: (opcode, payload) => this.#control(opcode, payload),
    })
    // 'close' follows.
    socket.on('error', () => {})
    socket.on('end', () => socket.destroySoon())
    socket.on('close', () => peer.transportClosed(this.#isClean))
    socket.on('drain', () => peer.drained())
    if (unproved) {
      this.#readUnproved(unproved)
    } else {
      socket.on('data', this.#read)
    }
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
    const opcode = this.format === 'Text' ? opcodes.text : opcodes.binary
    if (typeof payload !== 'string') {
      this.#send(opcode, payload)
    } else if (payload.length >= longText) {
      const bytes = utf8Of(payload)
      this.#send(opcode, bytes, () => freeChunk(Buffer.from(bytes.buffer)))
    } else if (this.#isWritable) {
      this.#socket.write(frameOf(opcode, payload))
    }
  }

  end(): void {
    this.#sendClose(closePayload(closeCodes.normal))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  get #isWritable(): boolean {
    return !this.#hasSentClose && this.#socket.writable
  }

  #send(opcode: number, payload: Uint8Array, sent?: () => void): void {
    const socket = this.#socket
    if (!this.#isWritable) {
      return
    }
    const head = Buffer.allocUnsafe(maxHeadBytes)
    const length = writeHead(head, 0, finalBit | opcode, payload.length)
    socket.cork()
    socket.write(head.subarray(0, length))
    socket.write(payload, sent)
    socket.uncork()
  }

  #sendClose(payload: Buffer): void {
    this.#send(opcodes.close, payload)
    this.#hasSentClose = true
  }

  readonly #read = (chunk: Buffer): void => void this.#readFrames(chunk, Infinity)

  /** Reads at most `maxFrames` frames. Returns the number of read bytes. */
  #readFrames(chunk: Buffer, maxFrames: number): number {
    if (this.#hasEnded) {
      return chunk.length
    }
    const socket = this.#socket
    socket.cork()
    try {
      return this.#reader.read(chunk, maxFrames)
    } catch (error) {
      if (!(error instanceof FrameError)) {
        throw error
      }
      this.#finish(closePayload(error.code))
      return chunk.length
    } finally {
      socket.uncork()
    }
  }

  /**
   * Reads a peer that is not proved in small parts, each after its place in the fair queue. All input that waits is
   * counted, also what Node has buffered, so the socket need not be paused.
   */
  #readUnproved(unproved: UnprovedPeer): void {
    const socket = this.#socket
    let counted = 0
    let isQueued = false
    const count = () => {
      const change = socket.readableLength - counted
      counted += change
      if (change > 0) {
        unproved.take(change)
      } else {
        unproved.give(-change)
      }
    }
    const queue = () => {
      if (unproved.isProved && this.#pauses === 0) {
        // Not a function of this scope, which would keep the memory of the unproved peer.
        this.#resume = this.#flow
        socket.off('readable', queue).on('data', this.#read)
        return
      }
      if (socket.readableLength === 0) {
        // Detects the end of the input.
        socket.read(0)
      } else if (!isQueued && !socket.destroyed) {
        isQueued = true
        unproved.queue(readNext)
      }
      // Once queued: before, the input would be an unfinished message.
      count()
    }
    const readNext = () => {
      isQueued = false
      const chunk =
        this.#pauses === 0 ? (socket.read(Math.min(socket.readableLength, turnBytes)) as Buffer | null) : null
      if (chunk) {
        count()
        const taken = this.#readFrames(chunk, turnFrames)
        if (taken < chunk.length) {
          socket.unshift(chunk.subarray(taken))
        }
        queue()
      }
    }
    this.#resume = queue
    socket.on('readable', queue)
    queue()
  }

  #receive(piece: Buffer): void {
    const room = piece.length > 0 ? this.#peer.receive(piece) : undefined
    if (room) {
      this.#pauseUntil(room)
    }
  }

  #pauseUntil(ready: Promise<void>): void {
    this.#pauses++
    this.#socket.pause()
    void ready.then(() => {
      if (--this.#pauses === 0) {
        this.#resume()
      }
    })
  }

  #control(opcode: ControlOpcode, payload: Buffer): void {
    if (opcode === opcodes.close) {
      this.#isClean = true
      // The answer repeats the code of the peer.
      this.#finish(payload)
    } else if (opcode === opcodes.ping && this.#socket.writableLength <= maxBytesBeforePong) {
      this.#send(opcodes.pong, payload)
    }
  }

  /** Sends a close frame, unless one was sent, and closes the socket. */
  #finish(payload: Buffer): void {
    this.#hasEnded = true
    this.#sendClose(payload)
    this.#socket.destroySoon()
  }
}
