import type { Writable } from 'node:stream'
import { opcodes, type ControlOpcode } from './frames.ts'

const finalBit = 0x80
const maxHeadBytes = 10
/** What is smaller is copied: a write of its own costs more, and would keep the whole chunk in which it came. */
const minLentBytes = 8192
const blockBytes = 64 * 1024
/**
 * A piece of a message waits until it is as large, or the last one. Clients refuse messages of too many fragments, and
 * the reads of a slow line are small.
 */
const minFragmentBytes = 16 * 1024
const nothing = Buffer.alloc(0)

/** Writes the frames of a server. What is small goes into one block, so that many messages are one buffer. */
export class FrameWriter {
  readonly #output: Writable
  #block = nothing
  /** Of the block, what has not been written yet. */
  #start = 0
  #end = 0
  #held = nothing
  #heldBytes = 0
  #isInMessage = false
  /** Chunks of which the output still holds pieces. */
  #lent: Buffer[] = []
  #isLending = false
  /** Gathered since the output last was empty. */
  #bytesBehind = 0

  constructor(output: Writable) {
    this.#output = output
  }

  /** At least what the output keeps in memory. */
  get bytesBehind(): number {
    return this.#bytesBehind
  }

  /** Has all that `work` makes of a chunk leave as one write. The chunk is gone when it has been taken. */
  gather(chunk: Buffer, work: () => void): void {
    this.#isLending = false
    this.#output.cork()
    work()
    this.flush()
    this.#output.uncork()
    this.#bytesBehind += chunk.length
    if (this.#isLending) {
      this.#lent.push(chunk)
    } else {
      free(chunk)
    }
    if (this.#output.writableLength === 0) {
      this.emptied()
    }
  }

  /** The output holds nothing any more. */
  emptied(): void {
    this.#lent.forEach(free)
    this.#lent = []
    this.#bytesBehind = 0
    this.#start = this.#end = 0
  }

  /**
   * The next piece of a binary message, as a fragment or held back until there is more. Empty messages are left out.
   * Only within `gather`.
   */
  message(piece: Buffer, isLast: boolean): void {
    const length = this.#heldBytes + piece.length
    if (!isLast && length < minFragmentBytes) {
      this.#hold(piece)
      return
    }
    if (length === 0 && !this.#isInMessage) {
      return
    }
    this.#head(this.#isInMessage ? opcodes.continuation : opcodes.binary, isLast, length)
    this.#copy(this.#held.subarray(0, this.#heldBytes))
    this.#heldBytes = 0
    if (piece.length < minLentBytes) {
      this.#copy(piece)
    } else {
      this.flush()
      this.#output.write(piece)
      this.#isLending = true
    }
    this.#isInMessage = !isLast
  }

  /** May come between two fragments; `flush` writes it. */
  control(opcode: ControlOpcode, payload: Buffer = nothing): void {
    this.#head(opcode, true, payload.length)
    this.#copy(payload)
  }

  /** Gives what is left of the block to the output. */
  flush(): void {
    if (this.#end > this.#start) {
      this.#output.write(this.#block.subarray(this.#start, this.#end))
      this.#start = this.#end
    }
  }

  #hold(piece: Buffer): void {
    if (this.#held.length === 0) {
      this.#held = Buffer.allocUnsafe(minFragmentBytes)
    }
    this.#heldBytes += piece.copy(this.#held, this.#heldBytes)
  }

  #head(opcode: number, isFinal: boolean, length: number): void {
    this.#makeRoom(maxHeadBytes)
    const block = this.#block
    block[this.#end++] = isFinal ? finalBit | opcode : opcode
    if (length < 126) {
      block[this.#end++] = length
    } else if (length < 65_536) {
      block[this.#end++] = 126
      this.#end = block.writeUInt16BE(length, this.#end)
    } else {
      block[this.#end++] = 127
      this.#end = block.writeUIntBE(length, block.writeUInt16BE(0, this.#end), 6)
    }
  }

  #copy(bytes: Buffer): void {
    this.#makeRoom(bytes.length)
    this.#end += bytes.copy(this.#block, this.#end)
  }

  #makeRoom(bytes: number): void {
    if (this.#block.length - this.#end < bytes) {
      this.flush()
      // The old one may still be on its way.
      this.#block = Buffer.allocUnsafe(blockBytes)
      this.#start = this.#end = 0
    }
  }
}

/**
 * Gives the memory of a chunk back at once. The collector would go through all objects of the process for every 32 MB
 * of chunks, which was a quarter of the relay's processor time and more.
 */
function free({ buffer, length }: Buffer): void {
  // Only where no one else has a part of it.
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) {
    buffer.transfer(0)
  }
}
