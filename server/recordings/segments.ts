import { recordingEntryHeadBytes } from '../../shared/recording-entries.ts'
import type { Mark, Segment } from './block-file.ts'

const fullBytes = 512 * 1024
/** Memory is allocated with the first entry: a viewer may request many sessions that never begin. */
const firstBytes = 64 * 1024
/** Memory of a full segment, which the last entry of usual size fits into. */
const blockBytes = fullBytes + 64 * 1024
/** Longest time in a segment: what a killed server loses is at most this, and the time to write it. */
const fullMs = 1_500
/** Shortest time between keys: a device may send whole pictures only, and each key repeats the shape of the pointer. */
const keyEveryMs = 1_000
/**
 * Most marks of a segment, and characters in them: a viewer chooses both, and readers limit the facts of a block. One mark
 * more says that others were left out: nobody hides a deed behind masses of marks.
 */
const maxMarks = 500
const maxMarkCharacters = 16 * 1024
/** Entries have 4 bytes for their time, which last for 49 days. */
const maxTime = 0xff_ff_ff_ff

/** The first marks, with one for those that are left out. */
export function firstMarks(marks: readonly Mark[], most: number): Mark[] {
  const leftOut = marks.slice(most, most + 1).map(({ at }): Mark => ({ at, kind: 'left-out', text: '' }))
  return [...marks.slice(0, most), ...leftOut]
}

/** Gathers entries into segments. */
export class SegmentBuilder {
  readonly #onSegment: (segment: Segment) => void
  #bytes: Buffer = Buffer.alloc(0)
  #length = 0
  #from = 0
  #to = 0
  #isKey = false
  #marks: Mark[] = []
  #markCharacters = 0
  /** Whether the last mark says that others were left out. */
  #hasAllMarks = false
  #keyAt = Number.NEGATIVE_INFINITY

  constructor(onSegment: (segment: Segment) => void) {
    this.#onSegment = onSegment
  }

  /** Begins a segment that can be shown by itself. Returns false if the last one began just before. */
  beginKey(at: number): boolean {
    if (at - this.#keyAt < keyEveryMs) {
      return false
    }
    this.close()
    this.#isKey = true
    this.#keyAt = at
    return true
  }

  /** Closes the segment. The next whole picture begins one, however soon it comes. */
  expectKey(): void {
    this.close()
    this.#keyAt = Number.NEGATIVE_INFINITY
  }

  add(kind: number, at: number, content: Uint8Array): void {
    this.#extend(at)
    const end = this.#length + recordingEntryHeadBytes + content.length
    if (end > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(end, Math.min(2 * this.#bytes.length, blockBytes), firstBytes))
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#bytes.writeUInt8(kind, this.#length)
    this.#bytes.writeUInt32BE(Math.min(at, maxTime), this.#length + 1)
    this.#bytes.writeUInt32BE(content.length, this.#length + 5)
    this.#bytes.set(content, this.#length + recordingEntryHeadBytes)
    this.#length = end
    if (this.#length >= fullBytes) {
      this.close()
    }
  }

  mark(mark: Mark): void {
    if (this.#hasAllMarks) {
      return
    }
    this.#markCharacters += mark.text.length
    this.#hasAllMarks = this.#marks.length >= maxMarks || this.#markCharacters > maxMarkCharacters
    this.#extend(mark.at)
    this.#marks.push(...firstMarks([mark], this.#hasAllMarks ? 0 : 1))
  }

  /** Whether the open segment has no entries; it may have marks. */
  get hasNoEntries(): boolean {
    return this.#length === 0
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
      entries: this.#takeEntries(),
    })
    this.#isKey = false
    this.#marks = []
    this.#markCharacters = 0
    this.#hasAllMarks = false
  }

  /** Takes back the memory of a closed segment that nobody uses any longer: new memory takes far longer than copying. */
  reuse({ entries }: Segment): void {
    if (this.#bytes.length === 0 && entries.buffer.byteLength === blockBytes) {
      this.#bytes = Buffer.from(entries.buffer)
    }
  }

  /** Entries that nearly fill their memory keep it; others are copied, because the limits of memory count entries. */
  #takeEntries() {
    const entries = this.#bytes.subarray(0, this.#length)
    this.#length = 0
    if (entries.length < 0.85 * this.#bytes.length) {
      return Buffer.from(entries)
    }
    this.#bytes = Buffer.alloc(0)
    return entries
  }
}
