import type { FairQueue } from '../fair-queue.ts'
import type { HeldInput, UnprovedInput } from '../unproved-input.ts'
import { InvalidDataException } from './errors.ts'

/** Limits for connections whose peer the application has not proved yet. */
export interface UnprovedLimits {
  maxReceiveMessageBytes: number
  maxMessageValues: number
  /** Limit of messages after the handshake. More end the connection. */
  maxMessages: number
  input: UnprovedInput
  /** Fair queue for the input of all unproved peers. */
  queue: FairQueue
}

/** Bytes read from one peer before the next: parts with many small frames cost most. */
const pieceBytes = 1_024

/** Peer known only by its address, from the first byte until `prove`. */
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

  /** Counts a message. Throws above the limit. */
  countMessage(): void {
    if (++this.#messages > this.limits.maxMessages) {
      throw new InvalidDataException(`Received more than ${this.limits.maxMessages} messages before authentication.`)
    }
  }

  /** Resolves when the fair queue admits this peer's next part. */
  admitted(): Promise<void> {
    return new Promise((resolve) => this.limits.queue.add(this.#address, resolve))
  }

  /**
   * Cuts a chunk into parts for the fair queue, and counts its bytes. The parts are copies: a small view would keep the
   * whole chunk in memory.
   */
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

  /** Releases the bytes of a closed connection. */
  close(): void {
    this.#held.close()
  }
}
