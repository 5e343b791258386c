import type { FairQueue } from '../fair-queue.ts'
import type { HeldInput, UnprovedInput } from '../unproved-input.ts'
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

/** Bytes read from one peer before the next: parts with many small frames cost most. */
const pieceBytes = 1_024

/** Peer of which only the address is known, from the first byte to the proof. */
export class UnprovedPeer {
  readonly limits: UnprovedLimits
  readonly #address: string
  readonly #held: HeldInput
  #messages = 0
  #isProved = false

  constructor(limits: UnprovedLimits, address: string, drop: () => void) {
    this.limits = limits
    this.#address = address
    this.#held = limits.input.open(address, drop)
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

  /** Resolves when it is this peer's turn to be read. */
  turn(): Promise<void> {
    return new Promise((resolve) => this.limits.queue.add(this.#address, resolve))
  }

  /** Cuts a chunk into what is read in one turn, and counts it. Copies: a few bytes that are kept would hold the whole chunk in memory. */
  cut(chunk: Buffer): Buffer[] {
    this.take(chunk.length)
    const count = Math.ceil(chunk.length / pieceBytes)
    return Array.from({ length: count }, (_, index) =>
      Buffer.from(chunk.subarray(index * pieceBytes, (index + 1) * pieceBytes)),
    )
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
