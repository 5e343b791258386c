import { ByteBudget, type HeldBytes } from '../engines/flow/byte-budget.ts'

const usualBytes = 256 * 1024

const mebibyte = 1024 * 1024

/** Memory for unfinished messages of recorded sessions. */
export type AssemblyBudget = ByteBudget<'tenant' | 'device'>

/** A device has memory for one message of the largest size; no device and no tenant takes that of the others (T44). */
export const assemblyBudget = (): AssemblyBudget =>
  new ByteBudget(192 * mebibyte, { tenant: 96 * mebibyte, device: 64 * mebibyte })

/** Joins the pieces of a message. */
export class MessageAssembly {
  readonly #maxBytes: number
  readonly #memory: Pick<HeldBytes<string>, 'take' | 'give'>
  #bytes = Buffer.alloc(0)
  #length = 0
  #isTooLong = false

  /** Longer messages are left out, and those for which no memory is left. */
  constructor(maxBytes: number, memory: Pick<HeldBytes<string>, 'take' | 'give'>) {
    this.#maxBytes = maxBytes
    this.#memory = memory
  }

  /** Returns the message with its last piece; valid until the next piece. Undefined before, and for a long message. */
  add(piece: Buffer, isLast: boolean): Buffer | undefined {
    if (isLast && this.#length === 0 && !this.#isTooLong) {
      return piece.length <= this.#maxBytes ? piece : undefined
    }
    this.#isTooLong ||= this.#length + piece.length > this.#maxBytes || !this.#append(piece)
    if (!isLast) {
      return undefined
    }
    const message = this.#isTooLong ? undefined : this.#bytes.subarray(0, this.#length)
    this.#length = 0
    this.#isTooLong = false
    if (this.#bytes.length > usualBytes) {
      this.close()
    }
    return message
  }

  /** Releases the memory. */
  close(): void {
    this.#memory.give(this.#bytes.length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
  }

  #append(piece: Buffer): boolean {
    const end = this.#length + piece.length
    if (end > this.#bytes.length) {
      const length = Math.min(this.#maxBytes, Math.max(end, 2 * this.#bytes.length, usualBytes))
      if (this.#memory.take(length - this.#bytes.length)) {
        this.close()
        return false
      }
      const larger = Buffer.allocUnsafe(length)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += piece.copy(this.#bytes, this.#length)
    return true
  }
}
