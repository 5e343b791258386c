import type { Socket } from 'node:net'
import type { Cancel, Clock } from '../clock.ts'
import { closeCodes } from './frames.ts'
import type { RelayOptions } from './options.ts'
import { Side } from './side.ts'

export interface PipeDependencies {
  /** Sockets whose upgrades have been answered. */
  requester: Socket
  responder: Socket
  options: RelayOptions
  clock: Clock
  /** Called once, when it ends; nothing is forwarded any more. */
  onEnd: (reason: string) => void
  /** Called once, when both sockets have gone. */
  onClosed: () => void
}

const endedReason = 'Session ended.'
/** Of the payload of a close frame two bytes are the code. */
const maxReasonBytes = 123

/** What of a text fits into a close frame, cut between characters. */
function closeReason(text: string): string {
  const bytes = Buffer.from(text.toWellFormed())
  let length = Math.min(bytes.length, maxReasonBytes)
  while (length < bytes.length && length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80) {
    length--
  }
  return bytes.toString('utf8', 0, length)
}

/** Two websockets joined: each message of one becomes one binary message to the other, piece by piece. */
export class Pipe {
  /** Payload that came from each side. */
  requesterBytes = 0
  responderBytes = 0
  readonly #sides: readonly Side[]
  readonly #deps: PipeDependencies
  readonly #cancelPings: Cancel
  #cancelDrop: Cancel = () => {}
  #isEnded = false

  constructor(deps: PipeDependencies) {
    this.#deps = deps
    const requester = new Side('requester', deps.requester, deps.options)
    const responder = new Side('responder', deps.responder, deps.options)
    this.#sides = [requester, responder]
    this.#forward(requester, responder, (bytes) => (this.requesterBytes += bytes))
    this.#forward(responder, requester, (bytes) => (this.responderBytes += bytes))
    this.#cancelPings = deps.clock.every(deps.options.pingIntervalMs, () => this.#ping())
  }

  /**
   * Closes both; what they still send is dropped. Whoever does not finish the closing in time loses the connection. `order`
   * is why a session was ended by order of the server: the requester is told, so that it does not come back by itself.
   */
  end(reason: string, closeTimeoutMs: number, order?: string): void {
    if (this.#isEnded) {
      return
    }
    this.#stop(reason)
    for (const side of this.#sides) {
      const isTold = order !== undefined && side.role === 'requester'
      side.close(closeCodes.normal, isTold ? closeReason(order) : endedReason)
      // The other half of the closing has to be read.
      side.resume()
    }
    this.#cancelDrop = this.#deps.clock.after(closeTimeoutMs, () => this.drop(reason))
  }

  /** Destroys both sockets without a word. */
  drop(reason: string): void {
    if (!this.#isEnded) {
      this.#stop(reason)
    }
    this.#sides.forEach((side) => side.destroy())
  }

  #stop(reason: string): void {
    this.#isEnded = true
    this.#cancelPings()
    this.#deps.onEnd(reason)
  }

  #forward(from: Side, to: Side, count: (bytes: number) => void): void {
    from.onChunk = (chunk) => {
      if (this.#isEnded) {
        from.read(chunk)
        return
      }
      to.gather(chunk, () => from.read(chunk))
      if (to.isFull && !this.#isEnded) {
        from.pause()
      }
    }
    from.onMessage = (piece, isLast) => {
      if (!this.#isEnded) {
        count(piece.length)
        to.send(piece, isLast)
      }
    }
    to.onDrained = () => from.resume()
    from.onLeft = (why) => this.end(`${from.role} ${why}`, this.#deps.options.closeTimeoutMs)
    from.onGone = () => {
      if (to.isGone) {
        this.#cancelDrop()
        this.#deps.onClosed()
      }
    }
  }

  #ping(): void {
    const [lost] = this.#sides.filter((side) => side.isLost())
    if (lost) {
      this.end(`${lost.role} does not answer`, this.#deps.options.closeTimeoutMs)
      lost.destroy()
    }
  }
}
