import { Mutex } from '../../shared/mutex.ts'
import type { HeldBytes } from '../byte-budget.ts'
import { ScratchFile } from './scratch-file.ts'

/** Disk space for one spool file. */
export interface SpoolRoom {
  readonly directory: string
  readonly maxBytes: number
  /** Share of the disk budget. */
  readonly held: Pick<HeldBytes<string>, 'take' | 'give' | 'close'>
}

/** A queue of texts in a file of limited size, used as a ring buffer. */
export class SpoolFile {
  readonly #room: SpoolRoom
  #file: ScratchFile | undefined
  /** Lengths of the queued texts, in bytes. */
  readonly #lengths: number[] = []
  #bytes = 0
  /** Offset of the oldest text. */
  #start = 0
  /** Reused for one text at a time: many small buffers would be freed too late. */
  #buffer = Buffer.alloc(0)
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

  /** Adds a text; false if the file is full. */
  put(text: string): Promise<boolean> {
    return this.#access.run(async () => {
      const length = Buffer.byteLength(text)
      const { directory, maxBytes, held } = this.#room
      if (this.#bytes + length > maxBytes || this.#isBroken || this.#isClosed || held.take(length)) {
        return false
      }
      try {
        this.#file ??= await ScratchFile.create(directory)
        const buffer = this.#bufferFor(length)
        buffer.write(text)
        const end = (this.#start + this.#bytes) % maxBytes
        const upper = Math.min(length, maxBytes - end)
        await this.#file.handle.write(buffer, 0, upper, end)
        if (upper < length) {
          await this.#file.handle.write(buffer, upper, length - upper, 0)
        }
      } catch {
        // The disk is full, most likely. Queued texts can still be read.
        held.give(length)
        this.#isBroken = true
        return false
      }
      this.#bytes += length
      this.#lengths.push(length)
      return true
    })
  }

  /** Removes the oldest text; undefined if empty. */
  take(): Promise<string | undefined> {
    return this.#access.run(async () => {
      const [length] = this.#lengths
      if (length === undefined || !this.#file) {
        return undefined
      }
      const { maxBytes, held } = this.#room
      const buffer = this.#bufferFor(length)
      const upper = Math.min(length, maxBytes - this.#start)
      await this.#file.handle.read(buffer, 0, upper, this.#start)
      if (upper < length) {
        await this.#file.handle.read(buffer, upper, length - upper, 0)
      }
      this.#lengths.shift()
      this.#start = (this.#start + length) % maxBytes
      this.#bytes -= length
      held.give(length)
      return buffer.toString('utf8', 0, length)
    })
  }

  /** Drops all queued texts. */
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

  #bufferFor(length: number): Buffer {
    if (this.#buffer.length < length) {
      this.#buffer = Buffer.allocUnsafeSlow(length)
    }
    return this.#buffer
  }
}
