import { ByteBudget, type HeldBytes } from './byte-budget.ts'

const mebibyte = 1024 * 1024

/** Memory that a chunk of a body takes beside its bytes: a body may come in chunks of one byte. */
export const chunkOverheadBytes = 512

/** Input of one unproved peer that is in memory. */
export interface HeldInput {
  take(bytes: number): void
  give(bytes: number): void
  /** Gives back all bytes; counts no more. */
  close(): void
}

/**
 * Limits the memory for input of unproved peers: those that have shown no credential, and no key of a device. A peer that
 * needs bytes where none are left has the peer dropped that holds its own for the longest time, of the same address where
 * that one's share is full. Input that comes whole is read within milliseconds, so what is dropped are unfinished messages
 * and bodies.
 */
export class UnprovedInput {
  readonly #budget: ByteBudget<'address'>
  /** Peers that hold bytes, in the order in which they began to. */
  readonly #holders = new Set<Holder>()

  constructor({ all = 32 * mebibyte, address = 8 * mebibyte } = {}) {
    this.#budget = new ByteBudget(all, { address })
  }

  /** Bytes held now, of all peers. */
  get used(): number {
    return this.#budget.used
  }

  /** `drop` ends the connection of the peer. */
  open(address: string, drop: () => void): HeldInput {
    return new Holder(this.#budget.open({ address }), address, drop, this.#holders)
  }
}

class Holder implements HeldInput {
  readonly #held: HeldBytes<'address'>
  readonly #address: string
  readonly #drop: () => void
  readonly #holders: Set<Holder>
  #isClosed = false

  constructor(held: HeldBytes<'address'>, address: string, drop: () => void, holders: Set<Holder>) {
    this.#held = held
    this.#address = address
    this.#drop = drop
    this.#holders = holders
  }

  take(bytes: number): void {
    while (!this.#isClosed) {
      this.#holders.add(this)
      const full = this.#held.take(bytes)
      if (!full) {
        return
      }
      this.#dropOldest(full === 'all' ? undefined : this.#address)
    }
  }

  give(bytes: number): void {
    this.#held.give(Math.min(bytes, this.#held.bytes))
    if (this.#held.bytes === 0) {
      this.#holders.delete(this)
    }
  }

  close(): void {
    this.#isClosed = true
    this.#held.close()
    this.#holders.delete(this)
  }

  #dropOldest(address: string | undefined): void {
    for (const holder of this.#holders) {
      if (address === undefined || holder.#address === address) {
        holder.close()
        holder.#drop()
        return
      }
    }
  }
}
