import type { Cancel, Clock } from '../clock.ts'
import type { RelayOptions } from './options.ts'
import { Side } from './side.ts'
import type { OpenPeer } from './waiting-peer.ts'

const normalClosure = 1000
const lostWithoutCloseFrame = 1006

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
    this.#requester = new Side('requester', parts.requester, parts.options)
    this.#responder = new Side('responder', parts.responder, parts.options)
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
    this.#stop(reason)
    for (const { webSocket } of this.#sides) {
      webSocket.close(normalClosure, 'Session ended.')
      // The other half of the closing has to be read.
      webSocket.resume()
    }
    this.#cancelDrop = this.#parts.clock.after(this.#parts.options.closeTimeoutMs, () => this.drop(reason))
  }

  /** Destroys both sockets without a word. */
  drop(reason: string): void {
    if (!this.#isEnded) {
      this.#stop(reason)
    }
    for (const { webSocket } of this.#sides) {
      webSocket.terminate()
    }
  }

  #stop(reason: string): void {
    this.#isEnded = true
    this.#cancelPings()
    this.#parts.onEnd(reason)
  }

  get #sides(): Side[] {
    return [this.#requester, this.#responder]
  }

  #forward(from: Side, to: Side): void {
    to.onFull = () => {
      if (!this.#isEnded) {
        from.webSocket.pause()
      }
    }
    to.onRoom = () => from.webSocket.resume()
    from.webSocket.on('message', (message: Buffer) => {
      if (message.length > 0 && !this.#isEnded) {
        from.bytes += message.length
        to.send(message)
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
    const [lost] = this.#sides.filter((side) => side.isLost())
    if (lost) {
      this.end(`${lost.role} does not answer`)
      lost.webSocket.terminate()
    }
  }
}
