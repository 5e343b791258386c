import type { Writable } from 'node:stream'
import { opcodes, type ControlOpcode } from './frames.ts'

const finalBit = 0x80
const maxHeadBytes = 10
/** What is smaller is copied: a buffer of its own costs more, and would keep the chunk it came in. */
const minOwnBytes = 4096
const blockBytes = 16 * 1024
/**
 * A piece of a message waits until it is as large, or the last one. Clients refuse messages of too many fragments, and
 * the reads of a slow line are small.
 */
const minFragmentBytes = 16 * 1024
const nothing = Buffer.alloc(0)

/** Writes frames of a server. What is small goes into one block, so that many messages of a turn are one buffer. */
export class FrameWriter {
  readonly #output: Writable
  #block = nothing
  /** Of the block, what has not been written yet. */
  #start = 0
  #end = 0
  #held = nothing
  #heldBytes = 0
  #isInMessage = false

  constructor(output: Writable) {
    this.#output = output
  }

  /** The next piece of a binary message, as a fragment or held back until there is more. Empty messages are left out. */
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
    this.#payload(this.#held.subarray(0, this.#heldBytes))
    this.#payload(piece)
    this.#held = nothing
    this.#heldBytes = 0
    this.#isInMessage = !isLast
  }

  /** May come between two fragments. */
  control(opcode: ControlOpcode, payload: Buffer = nothing): void {
    this.#head(opcode, true, payload.length)
    this.#payload(payload)
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

  #payload(bytes: Buffer): void {
    if (bytes.length < minOwnBytes) {
      this.#makeRoom(bytes.length)
      this.#end += bytes.copy(this.#block, this.#end)
      return
    }
    this.flush()
    this.#output.write(bytes)
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
