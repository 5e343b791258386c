import type { FairQueue } from '../fair-queue.ts'
import type { PacedPeer } from '../paced-input.ts'
import type { HeldInput, PausableReader, UnprovedInput } from '../unproved-input.ts'
import { InvalidDataException } from './errors.ts'

/** Limits for connections whose peer the application has not proved yet. */
export interface UnprovedLimits {
  maxReceiveMessageBytes: number
  maxMessageValues: number
  /** After the handshake. More of them end the connection. */
  maxMessages: number
  input: UnprovedInput
  /** Order in which the input of all unproved peers is read. */
  queue: FairQueue
}

/** Bytes read from one peer before the next. */
export const pieceBytes = 1_024

/** Peer of which only the address is known, from the first byte to the proof. */
export class UnprovedPeer implements PacedPeer {
  readonly limits: UnprovedLimits
  readonly #address: string
  readonly #held: HeldInput
  #messages = 0
  /** Pieces that wait for their turn: what is unfinished while they do, is so because of this server. */
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

  /** Counts a message. Throws for one too many. */
  countMessage(): void {
    if (++this.#messages > this.limits.maxMessages) {
      throw new InvalidDataException(`More than ${this.limits.maxMessages} messages came before a proof.`)
    }
  }

  /** Calls `run` when it is this peer's turn to be read. */
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

  /** Pieces of a chunk, each in its turn. Copies: a few bytes that are kept would hold the whole chunk in memory. */
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

  /** Gives back the bytes of a connection that has closed. */
  close(): void {
    this.#held.close()
  }
}
