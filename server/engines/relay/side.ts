import type { Socket } from 'node:net'
import { FrameReader } from '../flow/websocket/frame-reader.ts'
import { FrameError, opcodes, type ControlOpcode } from '../flow/websocket/frames.ts'
import { FrameWriter } from './frame-writer.ts'
import type { RelayOptions } from './options.ts'
import type { Role } from './role.ts'

/** Output that the peers of all pipes have not read. */
export interface UnreadOutput {
  bytes: number
}

/** A peer of a pipe: a WebSocket whose messages are passed on in pieces. */
export class Side {
  readonly role: Role
  /** Called with each received chunk, which `read` parses. */
  onChunk: (chunk: Buffer) => void = () => {}
  onMessage: (piece: Buffer, isLast: boolean) => void = () => {}
  /** Called once, at the end of the input: `closed`, `lost`, or `failed: ` and the cause. */
  onClosing: (why: string) => void = () => {}
  /** Called when all output is flushed. */
  onDrained = () => {}
  /** Called once, when the socket is closed. */
  onClosed = () => {}
  readonly #socket: Socket
  readonly #options: RelayOptions
  readonly #unread: UnreadOutput
  readonly #reader: FrameReader
  readonly #writer: FrameWriter
  #hasSentClose = false
  #hasEnded = false
  #bytesRead = 0
  #bytesTaken = 0
  #missedPings = 0
  /** Bytes of this side in the unread output of all. */
  #counted = 0

  constructor(role: Role, socket: Socket, { options, unread }: { options: RelayOptions; unread: UnreadOutput }) {
    this.role = role
    this.#socket = socket
    this.#options = options
    this.#unread = unread
    this.#writer = new FrameWriter(socket)
    this.#reader = new FrameReader(options.maxMessageBytes, {
      message: (piece, isLast) => this.onMessage(piece, isLast),
      control: (opcode, payload) => this.#control(opcode, payload),
    })
    socket.on('data', (chunk: Buffer) => this.onChunk(chunk))
    socket.on('drain', () => this.#drained())
    socket.on('end', () => this.#ended('lost'))
    // 'close' follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#ended('lost')
      this.#count(0)
      this.onClosed()
    })
  }

  get isClosed(): boolean {
    return this.#socket.closed
  }

  /** True if so much output is buffered that reading from the other side should pause. */
  get isFull(): boolean {
    const { maxBufferedBytes, maxBufferedBytesOfAll } = this.#options
    const isAbove = this.#writer.bytesBehind > maxBufferedBytes || this.#unread.bytes > maxBufferedBytesOfAll
    return this.#socket.writableNeedDrain && isAbove
  }

  /** Parses at most `maxFrames` frames of a chunk. Returns the number of parsed bytes. Ignores input after the close frame. */
  read(chunk: Buffer, maxFrames: number): number {
    let taken = chunk.length
    if (this.#hasEnded) {
      return taken
    }
    try {
      taken = this.#reader.read(chunk, maxFrames)
    } catch (error) {
      if (!(error instanceof FrameError)) {
        throw error
      }
      this.close(error.code)
      this.#ended(`failed: ${error.message}`)
    }
    this.#writer.flush()
    return taken
  }

  /** Sends all frames of a chunk in one write. Frees the chunk once it is flushed. */
  gather(chunk: Buffer, work: () => number): number {
    const taken = this.#writer.gather(chunk, work)
    // 'drain' or 'close' follows, which sets the count to 0; nothing follows a buffer that was never full.
    this.#count(this.#socket.writableNeedDrain ? this.#writer.bytesBehind : 0)
    return taken
  }

  /** Call within `gather` only. */
  send(piece: Buffer, isLast: boolean): void {
    this.#writer.message(piece, isLast)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Sends a close frame, unless one was sent; no frame may follow. */
  close(code: number, reason = ''): void {
    const payload = Buffer.alloc(2 + Buffer.byteLength(reason))
    payload.writeUInt16BE(code)
    payload.write(reason, 2)
    this.#sendClose(payload)
  }

  destroy(): void {
    this.#socket.destroy()
  }

  /**
   * Sends a ping; true after too many pings without a sign of life. Any input is a sign of life, since a pong may queue
   * behind a long message. So is output being flushed: systems buffer many megabytes, and a ping arrives only behind
   * all of them. While reading is paused, no input can be seen.
   */
  isLost(): boolean {
    this.#writer.release()
    const { maxMissedPings, maxMissedPingsBehindOutput } = this.#options
    const { bytesRead, bytesWritten, writableLength } = this.#socket
    const bytesTaken = bytesWritten - writableLength
    const takesOutput = writableLength > 0 && bytesTaken !== this.#bytesTaken
    const isAlive = bytesRead !== this.#bytesRead || takesOutput || this.#socket.isPaused()
    const maxMissed = writableLength > 0 ? maxMissedPingsBehindOutput : maxMissedPings
    if (!isAlive && this.#missedPings >= maxMissed) {
      return true
    }
    this.#missedPings = isAlive ? 1 : this.#missedPings + 1
    this.#bytesRead = bytesRead
    this.#bytesTaken = bytesTaken
    this.#writer.control(opcodes.ping)
    this.#writer.flush()
    return false
  }

  #control(opcode: ControlOpcode, payload: Buffer): void {
    if (opcode === opcodes.close) {
      // The answer repeats the peer's payload.
      this.#sendClose(payload)
      this.#ended('closed')
    } else if (opcode === opcodes.ping && !this.#hasSentClose && !this.#isBehind) {
      this.#writer.control(opcodes.pong, payload)
    }
  }

  /** A peer that does not read gets no more pongs, which would fill memory. */
  get #isBehind(): boolean {
    return this.#socket.writableLength > this.#options.maxBufferedBytes
  }

  #sendClose(payload: Buffer): void {
    if (!this.#hasSentClose && this.#socket.writable) {
      this.#hasSentClose = true
      this.#writer.control(opcodes.close, payload)
      this.#writer.flush()
    }
  }

  #ended(why: string): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true
      this.#socket.end()
      this.onClosing(why)
    }
  }

  #count(bytes: number): void {
    this.#unread.bytes += bytes - this.#counted
    this.#counted = bytes
  }

  #drained(): void {
    this.#writer.release()
    this.#count(0)
    this.onDrained()
  }
}
