import { recordingEntryHeadBytes } from '../../shared/recording-entries.ts'
import type { Mark, Segment } from './block-file.ts'

const fullBytes = 512 * 1024
/** Memory is allocated with the first entry: a viewer may request many sessions that never begin. */
const firstBytes = 64 * 1024
/** Longest time in a segment: what a killed server loses is at most this, and the time to write it. */
const fullMs = 1_500
/** Most marks of a segment; a viewer chooses their number. */
const maxMarks = 500

/** Gathers entries into segments. */
export class SegmentBuilder {
  readonly #onSegment: (segment: Segment) => void
  #bytes = Buffer.alloc(0)
  #length = 0
  #from = 0
  #to = 0
  #isKey = false
  #marks: Mark[] = []

  constructor(onSegment: (segment: Segment) => void) {
    this.#onSegment = onSegment
  }

  /** Begins a segment that can be shown by itself. */
  beginKey(): void {
    this.close()
    this.#isKey = true
  }

  add(kind: number, at: number, content: Uint8Array): void {
    this.#extend(at)
    const end = this.#length + recordingEntryHeadBytes + content.length
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, 2 * this.#bytes.length, firstBytes))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#bytes.writeUInt8(kind, this.#length)
    this.#bytes.writeUInt32BE(at, this.#length + 1)
    this.#bytes.writeUInt32BE(content.length, this.#length + 5)
    this.#bytes.set(content, this.#length + recordingEntryHeadBytes)
    this.#length = end
    if (this.#length >= fullBytes) {
      this.close()
    }
  }

  mark(mark: Mark): void {
    if (this.#marks.length < maxMarks) {
      this.#extend(mark.at)
      this.#marks.push(mark)
    }
  }

  get isEmpty(): boolean {
    return this.#length === 0 && this.#marks.length === 0
  }

  #extend(at: number) {
    this.#from = this.isEmpty ? at : this.#from
    this.#to = at
  }

  /** Closes a segment that has been open for long enough. */
  tick(now: number): void {
    if (!this.isEmpty && now - this.#from >= fullMs) {
      this.close()
    }
  }

  close(): void {
    if (this.isEmpty) {
      return
    }
    this.#onSegment({
      from: this.#from,
      to: this.#to,
      isKey: this.#isKey,
      marks: this.#marks,
      entries: Buffer.from(this.#bytes.subarray(0, this.#length)),
    })
    this.#length = 0
    this.#isKey = false
    this.#marks = []
    if (this.#bytes.length > 2 * fullBytes) {
      this.#bytes = Buffer.alloc(0)
    }
  }
}
