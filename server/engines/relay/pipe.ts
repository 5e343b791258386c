import type { Socket } from 'node:net'
import type { Cancel, Clock } from '../../ground/clock.ts'
import type { FairQueue } from '../flow/fair-queue.ts'
import type { Gate } from '../flow/gate.ts'
import { closeCodes } from '../flow/websocket/frames.ts'
import type { RelayOptions } from './options.ts'
import type { Role } from './role.ts'
import { Side, type UnreadOutput } from './side.ts'

export interface PipeDependencies {
  /** Sockets whose upgrades have been answered. */
  requester: Socket
  responder: Socket
  options: RelayOptions
  /** Shared by all pipes. */
  unread: UnreadOutput
  clock: Clock
  /** Fair queue of all pipes, in which the requester's pipes share one place. */
  queue: FairQueue
  payer: string
  gate: Gate
  /** Called with each piece of a message before it is passed on. */
  onPiece?: (from: Role, piece: Buffer, isLast: boolean) => void
  /** Called once, when the pipe ends; from then on nothing is forwarded. */
  onEnd: (reason: string) => void
  /** Called once, when both sockets are closed. */
  onClosed: () => void
}

/**
 * Frames of a chunk that are parsed without queueing. 64 KiB of messages of one byte are 9,000 frames, which take 3 ms,
 * and Node reads up to 32 such chunks of a socket in a row.
 */
const maxFramesPerTurn = 256

const endedReason = 'Session ended.'
const gateReason = 'The database does not answer.'
/** Payload limit of a close frame, without the two bytes of the code. */
const maxReasonBytes = 123

/** Truncates a text to fit into a close frame, between characters. */
function closeReason(text: string): string {
  const bytes = Buffer.from(text.toWellFormed())
  let length = Math.min(bytes.length, maxReasonBytes)
  while (length < bytes.length && length > 0 && ((bytes[length] ?? 0) & 0xc0) === 0x80) {
    length--
  }
  return bytes.toString('utf8', 0, length)
}

/** Two joined WebSockets: each message from one side becomes one binary message to the other, piece by piece. */
export class Pipe {
  /** Payload bytes received from each side. */
  requesterBytes = 0
  responderBytes = 0
  readonly #sides: readonly Side[]
  readonly #deps: PipeDependencies
  readonly #cancelPings: Cancel
  /** Sides with a chunk that waits in the fair queue, or for the gate. */
  readonly #queued = new Set<Side>()
  #cancelDrop: Cancel = () => {}
  #isEnded = false

  constructor(deps: PipeDependencies) {
    this.#deps = deps
    const requester = new Side('requester', deps.requester, deps)
    const responder = new Side('responder', deps.responder, deps)
    this.#sides = [requester, responder]
    this.#forward(requester, responder, (bytes) => (this.requesterBytes += bytes))
    this.#forward(responder, requester, (bytes) => (this.responderBytes += bytes))
    this.#cancelPings = deps.clock.every(deps.options.pingIntervalMs, () => this.#ping())
  }

  /**
   * Closes both sides; further input is discarded. A side that does not finish the closing handshake in time is
   * dropped. `order` is the reason when the server ordered the end: the requester receives it and does not reconnect
   * automatically.
   */
  end(reason: string, closeTimeoutMs: number, order?: string): void {
    if (this.#isEnded) {
      return
    }
    this.#stop(reason)
    for (const side of this.#sides) {
      const isOrdered = order !== undefined && side.role === 'requester'
      side.close(closeCodes.normal, isOrdered ? closeReason(order) : endedReason)
      // The peer's half of the closing handshake must be read.
      this.#resume(side)
    }
    this.#cancelDrop = this.#deps.clock.after(closeTimeoutMs, () => this.drop(reason))
  }

  /** Destroys both sockets without a close frame. */
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
      const opened = this.#isEnded ? undefined : this.#deps.gate()
      if (opened) {
        this.#waitForGate(from, chunk, opened)
        return
      }
      const read = () => from.read(chunk, maxFramesPerTurn)
      const taken = this.#isEnded ? read() : to.gather(chunk, read)
      if (taken < chunk.length) {
        this.#queue(from, chunk.subarray(taken))
      } else if (to.isFull && !this.#isEnded) {
        from.pause()
      } else {
        this.#resume(from)
      }
    }
    from.onMessage = (piece, isLast) => {
      if (!this.#isEnded) {
        count(piece.length)
        this.#deps.onPiece?.(from.role, piece, isLast)
        to.send(piece, isLast)
      }
    }
    to.onDrained = () => this.#resume(from)
    from.onClosing = (why) => this.end(`${from.role} ${why}`, this.#deps.options.closeTimeoutMs)
    from.onClosed = () => {
      if (to.isClosed) {
        this.#cancelDrop()
        this.#deps.onClosed()
      }
    }
  }

  /** Reads the rest of a chunk after its place in the fair queue; until then, the socket is not read. */
  #queue(side: Side, rest: Buffer): void {
    side.pause()
    this.#queued.add(side)
    this.#deps.queue.add(this.#deps.payer, () => {
      this.#queued.delete(side)
      side.onChunk(rest)
    })
  }

  /** Reads a chunk when the gate opens; until then, the socket is not read. */
  #waitForGate(side: Side, chunk: Buffer, opened: Promise<void>): void {
    side.pause()
    this.#queued.add(side)
    const readChunk = () => {
      this.#queued.delete(side)
      side.onChunk(chunk)
    }
    opened.then(readChunk, () => {
      this.end(gateReason, this.#deps.options.orderedCloseTimeoutMs)
      readChunk()
    })
  }

  #resume(side: Side): void {
    if (!this.#queued.has(side)) {
      side.resume()
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
