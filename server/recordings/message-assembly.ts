const usualBytes = 256 * 1024

/** Joins the pieces of a message. */
export class MessageAssembly {
  readonly #maxBytes: number
  #bytes = Buffer.alloc(0)
  #length = 0
  #isTooLong = false

  /** Longer messages are left out. */
  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Returns the message with its last piece; valid until the next piece. Undefined before, and for a long message. */
  add(piece: Buffer, isLast: boolean): Buffer | undefined {
    if (isLast && this.#length === 0 && !this.#isTooLong) {
      return piece.length <= this.#maxBytes ? piece : undefined
    }
    this.#isTooLong ||= this.#length + piece.length > this.#maxBytes
    if (!this.#isTooLong) {
      this.#append(piece)
    }
    if (!isLast) {
      return undefined
    }
    const message = this.#isTooLong ? undefined : this.#bytes.subarray(0, this.#length)
    this.#length = 0
    this.#isTooLong = false
    if (this.#bytes.length > usualBytes) {
      this.#bytes = Buffer.alloc(0)
    }
    return message
  }

  #append(piece: Buffer) {
    const end = this.#length + piece.length
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length, usualBytes))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += piece.copy(this.#bytes, this.#length)
  }
}
