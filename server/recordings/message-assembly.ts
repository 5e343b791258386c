const usualBytes = 256 * 1024

/** Memory for the unfinished messages of all sessions. */
export class AssemblyBudget {
  readonly #maxBytes: number
  #used = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  get used(): number {
    return this.#used
  }

  /** False if the bytes are not left. */
  take(bytes: number): boolean {
    if (this.#used + bytes > this.#maxBytes) {
      return false
    }
    this.#used += bytes
    return true
  }

  give(bytes: number): void {
    this.#used -= bytes
  }
}

/** Joins the pieces of a message. */
export class MessageAssembly {
  readonly #maxBytes: number
  readonly #budget: AssemblyBudget
  #bytes = Buffer.alloc(0)
  #length = 0
  #isTooLong = false

  /** Longer messages are left out, and those for which the budget has no memory left. */
  constructor(maxBytes: number, budget: AssemblyBudget) {
    this.#maxBytes = maxBytes
    this.#budget = budget
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
    this.#budget.give(this.#bytes.length)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
  }

  #append(piece: Buffer): boolean {
    const end = this.#length + piece.length
    if (end > this.#bytes.length) {
      const length = Math.max(end, 2 * this.#bytes.length, usualBytes)
      if (!this.#budget.take(length)) {
        this.close()
        return false
      }
      const larger = Buffer.allocUnsafe(length)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#budget.give(this.#bytes.length)
      this.#bytes = larger
    }
    this.#length += piece.copy(this.#bytes, this.#length)
    return true
  }
}
