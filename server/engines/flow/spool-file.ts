import { Mutex } from '../../../shared/mutex.ts'
import type { HeldBytes } from './byte-budget.ts'
import { freeChunk } from './chunk-blocks.ts'
import { ScratchFile } from './scratch-file.ts'

export interface SpoolRoom {
  readonly directory: string
  readonly maxBytes: number
  /** Share of the disk budget. */
  readonly held: Pick<HeldBytes<string>, 'take' | 'give' | 'close'>
}

/** A queue of byte strings in a file of limited size, used as a ring buffer. */
export class SpoolFile {
  readonly #room: SpoolRoom
  #file: ScratchFile | undefined
  /** Lengths of the queued strings. */
  readonly #lengths: number[] = []
  #bytes = 0
  /** Offset of the oldest string. */
  #start = 0
  #isBroken = false
  #isClosed = false
  /** Serializes file operations. */
  readonly #access = new Mutex()

  constructor(room: SpoolRoom) {
    this.#room = room
  }

  get count(): number {
    return this.#lengths.length
  }

  /** Adds a string, and frees its memory; false if the file is full. */
  put(bytes: Uint8Array): Promise<boolean> {
    return this.#access.run(async () => {
      const { length } = bytes
      const { directory, maxBytes, held } = this.#room
      if (this.#bytes + length > maxBytes || this.#isBroken || this.#isClosed || held.take(length)) {
        return false
      }
      try {
        this.#file ??= await ScratchFile.create(directory)
        const end = (this.#start + this.#bytes) % maxBytes
        const upper = Math.min(length, maxBytes - end)
        await this.#file.handle.write(bytes, 0, upper, end)
        if (upper < length) {
          await this.#file.handle.write(bytes, upper, length - upper, 0)
        }
      } catch {
        // The disk is full, most likely. Queued strings can still be read.
        held.give(length)
        this.#isBroken = true
        return false
      }
      freeChunk(bytes)
      this.#bytes += length
      this.#lengths.push(length)
      return true
    })
  }

  /** Removes the oldest string, joined with the next strings up to `maxBytes`; undefined if empty. */
  take(maxBytes = 0): Promise<Buffer | undefined> {
    return this.#access.run(async () => {
      let [length] = this.#lengths
      if (length === undefined || !this.#file) {
        return undefined
      }
      let count = 1
      while (count < this.#lengths.length && length + this.#lengths[count]! <= maxBytes) {
        length += this.#lengths[count++]!
      }
      const { maxBytes: size, held } = this.#room
      const buffer = Buffer.allocUnsafeSlow(length)
      const upper = Math.min(length, size - this.#start)
      await this.#file.handle.read(buffer, 0, upper, this.#start)
      if (upper < length) {
        await this.#file.handle.read(buffer, upper, length - upper, 0)
      }
      this.#lengths.splice(0, count)
      this.#start = (this.#start + length) % size
      this.#bytes -= length
      held.give(length)
      return buffer
    })
  }

  /** Drops all queued strings. */
  close(): Promise<void> {
    return this.#access.run(async () => {
      this.#isClosed = true
      this.#room.held.close()
      this.#bytes = this.#lengths.length = 0
      const file = this.#file
      this.#file = undefined
      await file?.close()
    })
  }
}
