import type { Writable } from 'node:stream'
import { freeChunk } from '../flow/chunk-blocks.ts'
import { finalBit, maxHeadBytes, opcodes, writeHead, type ControlOpcode } from '../flow/websocket/frames.ts'

/** Smaller pieces are copied: a separate write costs more, and would keep the whole received chunk in memory. */
const minLentBytes = 8192
const blockBytes = 64 * 1024
/**
 * Minimum size of a fragment, except the last. Clients reject messages of too many fragments, and reads from a slow
 * network are small.
 */
const minFragmentBytes = 16 * 1024
const nothing = Buffer.alloc(0)

/** Writes server frames. Small frames share one block, so that many messages are one buffer. */
export class FrameWriter {
  readonly #output: Writable
  #block = nothing
  /** Start of the unwritten part of the block. */
  #start = 0
  #end = 0
  #pending = nothing
  #pendingBytes = 0
  #isInMessage = false
  /** Chunks whose pieces the output still references. */
  #lent: Buffer[] = []
  #isLending = false
  /** Bytes gathered since the output was last empty. */
  #bytesBehind = 0

  constructor(output: Writable) {
    this.#output = output
  }

  /** Lower bound of the output's memory. */
  get bytesBehind(): number {
    return this.#bytesBehind
  }

  /**
   * Corks the output while `work` processes a chunk and returns the number of processed bytes, so that all their frames
   * leave in one write. Frees the chunk, if all of it was processed, once it is flushed.
   */
  gather(chunk: Buffer, work: () => number): number {
    this.release()
    this.#isLending = false
    this.#output.cork()
    const taken = work()
    this.flush()
    this.#output.uncork()
    this.#bytesBehind += taken
    if (taken === chunk.length) {
      if (this.#isLending) {
        this.#lent.push(chunk)
      } else {
        freeChunk(chunk)
      }
    }
    this.release()
    return taken
  }

  /**
   * Frees chunks and the block if the output is empty. Call also when it may have become so: TLS completes each write
   * later, and 'drain' follows only a full buffer.
   */
  release(): void {
    if (this.#output.writableLength > 0 || this.#end > this.#start) {
      return
    }
    this.#lent.forEach(freeChunk)
    this.#lent = []
    this.#bytesBehind = 0
    this.#start = this.#end = 0
  }

  /**
   * Writes the next piece of a binary message as a fragment, or buffers small pieces. Empty messages are left out. Call
   * within `gather` only.
   */
  message(piece: Buffer, isLast: boolean): void {
    const length = this.#pendingBytes + piece.length
    if (!isLast && length < minFragmentBytes) {
      this.#append(piece)
      return
    }
    if (length === 0 && !this.#isInMessage) {
      return
    }
    this.#head(this.#isInMessage ? opcodes.continuation : opcodes.binary, isLast, length)
    this.#copy(this.#pending.subarray(0, this.#pendingBytes))
    this.#pendingBytes = 0
    if (piece.length < minLentBytes) {
      this.#copy(piece)
    } else {
      this.flush()
      this.#output.write(piece)
      this.#isLending = true
    }
    this.#isInMessage = !isLast
  }

  /** Writes a control frame, possibly between two fragments; `flush` sends it. */
  control(opcode: ControlOpcode, payload: Buffer = nothing): void {
    this.#head(opcode, true, payload.length)
    this.#copy(payload)
  }

  /** Passes the unwritten part of the block to the output. */
  flush(): void {
    if (this.#end > this.#start) {
      this.#output.write(this.#block.subarray(this.#start, this.#end))
      this.#start = this.#end
    }
  }

  #append(piece: Buffer): void {
    if (this.#pending.length === 0) {
      this.#pending = Buffer.allocUnsafe(minFragmentBytes)
    }
    this.#pendingBytes += piece.copy(this.#pending, this.#pendingBytes)
  }

  #head(opcode: number, isFinal: boolean, length: number): void {
    this.#makeRoom(maxHeadBytes)
    this.#end = writeHead(this.#block, this.#end, isFinal ? finalBit | opcode : opcode, length)
  }

  #copy(bytes: Buffer): void {
    this.#makeRoom(bytes.length)
    this.#end += bytes.copy(this.#block, this.#end)
  }

  #makeRoom(bytes: number): void {
    if (this.#block.length - this.#end < bytes) {
      this.flush()
      // The output may still reference the previous block.
      this.#block = Buffer.allocUnsafe(blockBytes)
      this.#start = this.#end = 0
    }
  }
}
