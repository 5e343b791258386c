import { freeChunk } from '../../flow/chunk-blocks.ts'

const empty = Buffer.alloc(0)
const minTrimmedBytes = 1024

/**
 * Received bytes that are not yet split into messages. A chunk that holds exactly whole messages is read in place and
 * never copied.
 */
export class ReceiveBuffer {
  /** Valid between `start` and `end` only. */
  bytes: Buffer = empty
  start = 0
  end = 0
  /** End of the range that `indexOf` has already searched, so that a message in many chunks is searched once. */
  #searched = 0
  /** True if `bytes` was allocated here, and no message shares its memory. */
  #isOnlyHere = false

  get length(): number {
    return this.end - this.start
  }

  append(chunk: Buffer): void {
    if (this.length === 0) {
      this.bytes = chunk
      this.start = 0
      this.end = chunk.length
      this.#searched = 0
      this.#isOnlyHere = false
      return
    }
    this.#reserve(chunk.length)
    this.bytes.set(chunk, this.end)
    this.end += chunk.length
  }

  /** Offset of `byte` from `start`, or -1. */
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

  /** Skips a message. `isCopied`: nothing of the message shares the memory of this buffer. */
  skip(count: number, { isCopied = false } = {}): void {
    this.start += count
    this.#isOnlyHere &&= isCopied
    if (this.start >= this.end) {
      this.clear()
    }
  }

  clear(): void {
    this.#free()
    this.bytes = empty
    this.start = this.end = this.#searched = 0
  }

  /** Makes room behind `end`, growing by doubling. A received chunk has no room, so it is never written to. */
  #reserve(count: number): void {
    const needed = this.length + count
    if (this.end + count <= this.bytes.length) {
      return
    }
    this.#move(Math.max(needed, Math.min(this.length * 2, needed + 1_048_576), 256))
  }

  /** Copies a small rest, which would keep a large chunk in memory. */
  trim(): void {
    if (this.length > 0 && this.bytes.buffer.byteLength > 2 * Math.max(this.length, minTrimmedBytes)) {
      this.#move(this.length)
    }
  }

  #move(bytes: number): void {
    const target = Buffer.allocUnsafeSlow(bytes)
    this.bytes.copy(target, 0, this.start, this.end)
    this.#searched = Math.max(0, this.#searched - this.start)
    this.end = this.length
    this.start = 0
    this.#free()
    this.bytes = target
    this.#isOnlyHere = true
  }

  /** Frees memory that nothing else uses: the garbage of a flood of unfinished messages would fill memory (T40). */
  #free(): void {
    if (this.#isOnlyHere) {
      freeChunk(this.bytes)
      this.#isOnlyHere = false
    }
  }
}
