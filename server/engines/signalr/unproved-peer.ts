import type { FairQueue } from '../flow/fair-queue.ts'
import type { HeldInput, InputBudget } from '../flow/input-budget.ts'
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

/** Peer known only by its address, from the first byte until `prove`. */
export class UnprovedPeer {
  readonly limits: UnprovedLimits
  readonly #address: string
  readonly #held: HeldInput
  #messages = 0
  /** Places in the fair queue: a message that is unfinished meanwhile is so because of this server. */
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

  /** Waits until the fair queue admits a chunk. */
  async admit(chunk: Buffer): Promise<void> {
    this.take(chunk.length)
    await new Promise<void>((resolve) => this.queue(resolve))
    this.give(chunk.length)
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
