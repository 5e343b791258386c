import type { Socket } from 'node:net'
import { FrameReader } from './frame-reader.ts'
import { FrameWriter } from './frame-writer.ts'
import { FrameError, invalidFrame, isCloseCode, opcodes, type ControlOpcode } from './frames.ts'
import type { RelayOptions } from './options.ts'
import type { Role } from './role.ts'

/** One of the two peers of a pipe: a websocket whose messages are passed on in pieces. */
export class Side {
  readonly role: Role
  /** Called with each chunk that comes from it, which `read` takes apart. */
  onChunk: (chunk: Buffer) => void = () => {}
  onMessage: (piece: Buffer, isLast: boolean) => void = () => {}
  /** Called once, when it says nothing any more: `closed`, `lost`, or `failed: ` and why. */
  onLeft: (why: string) => void = () => {}
  /** Called when it has taken all output. */
  onDrained = () => {}
  /** Called once, when its socket has gone. */
  onGone = () => {}
  readonly #socket: Socket
  readonly #options: RelayOptions
  readonly #reader: FrameReader
  readonly #writer: FrameWriter
  #hasClosed = false
  #hasLeft = false
  #bytesRead = 0
  #bytesTaken = 0
  #missedPings = 0

  constructor(role: Role, socket: Socket, options: RelayOptions) {
    this.role = role
    this.#socket = socket
    this.#options = options
    this.#writer = new FrameWriter(socket)
    this.#reader = new FrameReader(options.maxMessageBytes, {
      message: (piece, isLast) => this.onMessage(piece, isLast),
      control: (opcode, payload) => this.#control(opcode, payload),
    })
    socket.on('data', (chunk: Buffer) => this.onChunk(chunk))
    socket.on('drain', () => this.#drained())
    socket.on('end', () => this.#leave('lost'))
    // 'close' follows.
    socket.on('error', () => {})
    socket.on('close', () => {
      this.#leave('lost')
      this.onGone()
    })
  }

  get isGone(): boolean {
    return this.#socket.closed
  }

  /** Whether it has so much to take that nothing more should be read for it. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain && this.#writer.bytesBehind > this.#options.maxBufferedBytes
  }

  /** Takes a chunk apart. After its goodbye, nothing that it sends counts. */
  read(chunk: Buffer): void {
    if (this.#hasLeft) {
      return
    }
    try {
      this.#reader.read(chunk)
    } catch (error) {
      if (!(error instanceof FrameError)) {
        throw error
      }
      this.close(error.code)
      this.#leave(`failed: ${error.message}`)
    }
    this.#writer.flush()
  }

  /** Has everything that is sent of a chunk leave as one write. The chunk is gone when it has been taken. */
  gather(chunk: Buffer, work: () => void): void {
    this.#writer.gather(chunk, work)
  }

  /** Only within `gather`. */
  send(piece: Buffer, isLast: boolean): void {
    this.#writer.message(piece, isLast)
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  /** Says goodbye, unless it has been said; nothing may be sent after it. */
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
   * Pings it, and tells whether it left too many pings without a sign of life. Whatever comes from it is one, as a pong
   * may wait behind a long message. So is that it takes what waits for it: systems hold many megabytes, and it reaches a
   * ping only behind all of them. While we do not read from it, none can be seen.
   */
  isLost(): boolean {
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
      checkClose(payload)
      // The answer repeats what was said.
      this.#sendClose(payload)
      this.#leave('closed')
    } else if (opcode === opcodes.ping && !this.#hasClosed && !this.#isBehind) {
      this.#writer.control(opcodes.pong, payload)
    }
  }

  /** Whoever does not take our answers gets no more of them: they would fill our memory. */
  get #isBehind(): boolean {
    return this.#socket.writableLength > this.#options.maxBufferedBytes
  }

  #sendClose(payload: Buffer): void {
    if (!this.#hasClosed && this.#socket.writable) {
      this.#hasClosed = true
      this.#writer.control(opcodes.close, payload)
      this.#writer.flush()
    }
  }

  #leave(why: string): void {
    if (!this.#hasLeft) {
      this.#hasLeft = true
      this.#socket.end()
      this.onLeft(why)
    }
  }

  #drained(): void {
    this.#writer.emptied()
    this.onDrained()
  }
}

function checkClose(payload: Buffer): void {
  if (payload.length === 1) {
    throw invalidFrame('invalid payload length 1')
  }
  if (payload.length > 1 && !isCloseCode(payload.readUInt16BE())) {
    throw invalidFrame(`invalid status code ${payload.readUInt16BE()}`)
  }
}
