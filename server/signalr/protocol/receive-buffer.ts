const empty = Buffer.alloc(0)

/**
 * Received bytes that no message was cut from yet. A chunk that holds exactly whole messages is never copied: it is
 * read in place and let go.
 */
export class ReceiveBuffer {
  /** Read these between `start` and `end` only. */
  bytes: Buffer = empty
  start = 0
  end = 0
  /** Up to where `indexOf` has looked in vain, so that a message in many pieces is searched once. */
  #searched = 0

  get length(): number {
    return this.end - this.start
  }

  append(chunk: Buffer): void {
    if (this.length === 0) {
      this.bytes = chunk
      this.start = 0
      this.end = chunk.length
      this.#searched = 0
      return
    }
    this.#reserve(chunk.length)
    this.bytes.set(chunk, this.end)
    this.end += chunk.length
  }

  /** Offset of `byte` from the start of what is held, or -1. */
  indexOf(byte: number): number {
    const from = Math.max(this.#searched, this.start)
    const at = this.bytes.indexOf(byte, from)
    if (at < 0 || at >= this.end) {
      this.#searched = this.end
      return -1
    }
    this.#searched = at
    return at - this.start
  }

  skip(count: number): void {
    this.start += count
    if (this.start >= this.end) {
      this.clear()
    }
  }

  clear(): void {
    this.bytes = empty
    this.start = this.end = this.#searched = 0
  }

  /** Makes room behind `end`, growing by doubling. A received chunk has none, so it is never written to. */
  #reserve(count: number): void {
    const needed = this.length + count
    if (this.end + count <= this.bytes.length) {
      return
    }
    const target = Buffer.allocUnsafeSlow(Math.max(needed, Math.min(this.length * 2, needed + 1_048_576), 256))
    this.bytes.copy(target, 0, this.start, this.end)
    this.#searched = Math.max(0, this.#searched - this.start)
    this.end = this.length
    this.start = 0
    this.bytes = target
  }
}
