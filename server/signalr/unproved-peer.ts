import type { FairQueue } from '../flow/fair-queue.ts'
import type { PacedPeer } from '../flow/paced-input.ts'
import type { HeldInput, PausableReader, InputBudget } from '../flow/input-budget.ts'
import { InvalidDataException } from './errors.ts'

/** Limits for connections whose peer the application has not proved yet. */
export interface UnprovedLimits {
  maxReceiveMessageBytes: number
  maxMessageValues: number
  /** Limit of messages after the handshake. More end the connection. */
  maxMessages: number
  input: InputBudget
  /** Fair queue for the input of all unproved peers. */
  queue: FairQueue
}

/** Bytes read from one peer before the next. */
export const pieceBytes = 1_024

/** Peer known only by its address, from the first byte until `prove`. */
export class UnprovedPeer implements PacedPeer {
  readonly limits: UnprovedLimits
  readonly #address: string
  readonly #held: HeldInput
  #messages = 0
  /** Pieces in the fair queue: a message that is unfinished meanwhile is so because of this server. */
  #queued = 0
  #isProved = false

  constructor(limits: UnprovedLimits, address: string, drop: () => void) {
    this.limits = limits
    this.#address = address
    this.#held = limits.input.open(address, { drop, isUnfinished: () => this.#queued === 0 })
  }

  get isProved(): boolean {
    return this.#isProved
  }

  take(bytes: number): void {
    this.#held.take(bytes)
  }

  give(bytes: number): void {
    this.#held.give(bytes)
  }

  /** Counts a message. Throws above the limit. */
  countMessage(): void {
    if (++this.#messages > this.limits.maxMessages) {
      throw new InvalidDataException(`Received more than ${this.limits.maxMessages} messages before authentication.`)
    }
  }

  /** Calls `run` when the fair queue admits this peer. */
  queue(run: () => void): void {
    this.#queued++
    this.limits.queue.add(this.#address, () => {
      try {
        run()
      } finally {
        this.#queued--
      }
    })
  }

  readWhenRoom(reader: PausableReader): void {
    this.#held.readWhenRoom(reader)
  }

  /**
   * Cuts a chunk into pieces and yields each when the fair queue admits it. The pieces are copies: a small view would
   * keep the whole chunk in memory.
   */
  async *pieces(chunk: Buffer): AsyncGenerator<Buffer, void> {
    this.#queued++
    try {
      this.take(chunk.length)
      for (let at = 0; at < chunk.length; at += pieceBytes) {
        await new Promise<void>((resolve) => this.queue(resolve))
        const piece = Buffer.from(chunk.subarray(at, at + pieceBytes))
        this.give(piece.length)
        yield piece
      }
    } finally {
      this.#queued--
    }
  }

  /** Lifts the limits. */
  prove(): void {
    this.#isProved = true
    this.#held.close()
  }

  /** Releases the bytes of a closed connection. */
  close(): void {
    this.#held.close()
  }
}
