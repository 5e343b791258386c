import type { Cancel, Clock } from '../clock.ts'
import type { RelayOptions } from './options.ts'
import type { Role } from './role.ts'
import type { OpenPeer } from './waiting-peer.ts'

const normalClosure = 1000
const lostWithoutCloseFrame = 1006
const asBinary = { binary: true, compress: false }

/** One of the two that are joined. */
class Side {
  readonly role: Role
  readonly webSocket: OpenPeer['webSocket']
  readonly #socket: OpenPeer['socket']
  /** Payload bytes that came from it. */
  bytes = 0
  isClosed = false
  #isGathering = false
  #missedPings = 0
  #readBefore = 0
  /** What it had taken of our output, where some was left over. */
  #takenBefore: number | undefined

  constructor(role: Role, { webSocket, socket }: OpenPeer) {
    this.role = role
    this.webSocket = webSocket
    this.#socket = socket
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength
  }

  onDrain(run: () => void): void {
    this.#socket.on('drain', run)
  }

  /** Sends with everything else of this turn, as one write: small messages come many at once. */
  send(message: Buffer, onSent: () => void): void {
    if (!this.#isGathering) {
      this.#isGathering = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#isGathering = false
        this.#socket.uncork()
        onSent()
      })
    }
    this.webSocket.send(message, asBinary)
  }

  /**
   * Asks for a sign of life, and tells whether there was none for too long. A pong is one, and so is a part of a message,
   * behind which a pong may wait, and output that it takes. Of one that we do not read from none can be seen.
   */
  isLost(maxMissedPings: number): boolean {
    const read = this.#socket.bytesRead
    const taken = this.#socket.bytesWritten - this.#socket.writableLength
    const isAlive =
      this.webSocket.isPaused ||
      read !== this.#readBefore ||
      (this.#takenBefore !== undefined && taken > this.#takenBefore)
    if (!isAlive && this.#missedPings === maxMissedPings) {
      return true
    }
    this.#missedPings = isAlive ? 1 : this.#missedPings + 1
    this.#readBefore = read
    // Without a rest, the system may have taken output for a peer that is gone.
    this.#takenBefore = this.#socket.writableLength > 0 ? taken : undefined
    this.webSocket.ping()
    return false
  }
}

export interface PipeParts {
  requester: OpenPeer
  responder: OpenPeer
  options: RelayOptions
  clock: Clock
  /** Called once, when it ends; nothing is forwarded any more. */
  onEnd: (reason: string) => void
  /** Called once, when both sockets have gone. */
  onClosed: () => void
}

/** Two websockets joined: each message of one becomes one binary message to the other. */
export class Pipe {
  readonly #requester: Side
  readonly #responder: Side
  readonly #parts: PipeParts
  readonly #cancelPings: Cancel
  #cancelDrop: Cancel = () => {}
  #isEnded = false

  constructor(parts: PipeParts) {
    this.#parts = parts
    this.#requester = new Side('requester', parts.requester)
    this.#responder = new Side('responder', parts.responder)
    this.#forward(this.#requester, this.#responder)
    this.#forward(this.#responder, this.#requester)
    this.#cancelPings = parts.clock.every(parts.options.pingIntervalMs, () => this.#ping())
  }

  get requesterBytes(): number {
    return this.#requester.bytes
  }

  get responderBytes(): number {
    return this.#responder.bytes
  }

  /** Closes both; what they still send is dropped. */
  end(reason: string): void {
    if (this.#isEnded) {
      return
    }
    this.#isEnded = true
    this.#cancelPings()
    const { clock, options, onEnd } = this.#parts
    for (const { webSocket } of this.#sides) {
      webSocket.close(normalClosure, 'Session ended.')
      // The other half of the closing has to be read.
      webSocket.resume()
    }
    this.#cancelDrop = clock.after(options.closeTimeoutMs, () => this.drop(reason))
    onEnd(reason)
  }

  /** Ends it without a word. */
  drop(reason: string): void {
    this.end(reason)
    for (const { webSocket } of this.#sides) {
      webSocket.terminate()
    }
  }

  get #sides(): Side[] {
    return [this.#requester, this.#responder]
  }

  #forward(from: Side, to: Side): void {
    const { maxBufferedBytes } = this.#parts.options
    const stopForSlowReader = () => {
      if (to.bufferedBytes > maxBufferedBytes && !this.#isEnded) {
        from.webSocket.pause()
      }
    }
    from.webSocket.on('message', (message: Buffer) => {
      if (message.length > 0 && !this.#isEnded) {
        from.bytes += message.length
        to.send(message, stopForSlowReader)
      }
    })
    to.onDrain(() => {
      if (from.webSocket.isPaused) {
        from.webSocket.resume()
      }
    })
    from.webSocket.on('error', (error) => this.end(`${from.role} failed: ${error.message}`))
    from.webSocket.on('close', (code) => {
      this.end(`${from.role} ${code === lostWithoutCloseFrame ? 'lost' : 'closed'}`)
      from.isClosed = true
      if (to.isClosed) {
        this.#cancelDrop()
        this.#parts.onClosed()
      }
    })
  }

  #ping(): void {
    const lost = this.#sides.find((side) => side.isLost(this.#parts.options.maxMissedPings))
    if (lost) {
      this.end(`${lost.role} does not answer`)
      lost.webSocket.terminate()
    }
  }
}
