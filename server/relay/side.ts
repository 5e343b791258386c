import type { RelayOptions } from './options.ts'
import type { Role } from './role.ts'
import type { OpenPeer } from './waiting-peer.ts'

const asBinary = { binary: true, compress: false }

/** One of the two peers of a pipe. */
export class Side {
  readonly role: Role
  readonly webSocket: OpenPeer['webSocket']
  /** Called when it has more unsent output than it may have, and when that has been taken. */
  onFull = () => {}
  onRoom = () => {}
  /** Payload bytes that came from it. */
  bytes = 0
  isClosed = false
  readonly #socket: OpenPeer['socket']
  readonly #options: RelayOptions
  #isGathering = false
  #isFull = false
  #bytesRead = 0
  #missedPings = 0

  constructor(role: Role, { webSocket, socket }: OpenPeer, options: RelayOptions) {
    this.role = role
    this.webSocket = webSocket
    this.#socket = socket
    this.#options = options
    socket.on('drain', () => this.#drained())
  }

  /** Sends with everything else of this turn, as one write: small messages come many at once. */
  send(message: Buffer): void {
    if (!this.#isGathering) {
      this.#isGathering = true
      this.#socket.cork()
      process.nextTick(() => this.#flush())
    }
    this.webSocket.send(message, asBinary)
  }

  /**
   * Pings it, and tells whether it left too many pings without a sign of life. Whatever comes from it is one, as a pong
   * may wait behind a long message. While we do not read from it, none can be seen.
   */
  isLost(): boolean {
    const { maxMissedPings, maxMissedPingsBehindOutput } = this.#options
    const { bytesRead, writableLength } = this.#socket
    const isAlive = bytesRead !== this.#bytesRead || this.webSocket.isPaused
    const maxMissed = writableLength > 0 ? maxMissedPingsBehindOutput : maxMissedPings
    if (!isAlive && this.#missedPings >= maxMissed) {
      return true
    }
    this.#missedPings = isAlive ? 1 : this.#missedPings + 1
    this.#bytesRead = bytesRead
    this.webSocket.ping()
    return false
  }

  #flush(): void {
    this.#isGathering = false
    this.#socket.uncork()
    if (this.#socket.writableLength > this.#options.maxBufferedBytes) {
      this.#isFull = true
      this.onFull()
    }
  }

  #drained(): void {
    // Also told after writes of which nothing was left over.
    if (this.#isFull) {
      this.#isFull = false
      this.onRoom()
    }
  }
}
