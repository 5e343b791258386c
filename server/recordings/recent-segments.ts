import type { Segment } from './block-file.ts'

/** Time that can be kept afterwards. */
export const recentMs = 2 * 60_000

const bytesIn = (segments: readonly Segment[]) => segments.reduce((sum, { entries }) => sum + entries.length, 0)

/** The newest segments of a session, in memory. The first can always be shown by itself. */
export class RecentSegments {
  bytes = 0
  #segments: Segment[] = []
  readonly #maxBytes: number
  readonly #onDropped: (segment: Segment) => void

  constructor(maxBytes: number, onDropped: (segment: Segment) => void) {
    this.#maxBytes = maxBytes
    this.#onDropped = onDropped
  }

  get all(): readonly Segment[] {
    return this.#segments
  }

  add(segment: Segment): void {
    if (this.#segments.length === 0 && !segment.isKey) {
      this.#onDropped(segment)
      return
    }
    this.#segments.push(segment)
    this.bytes += segment.entries.length
    while (this.#secondKey() !== -1 && this.#segments[this.#secondKey()]!.from <= segment.to - recentMs) {
      this.dropOldest()
    }
    while (this.bytes > this.#maxBytes) {
      this.dropOldest()
    }
  }

  /** Drops the segments before the second one that can be shown by itself; all of them if there is none. */
  dropOldest(): void {
    const second = this.#secondKey()
    const dropped = this.#segments.splice(0, second === -1 ? this.#segments.length : second)
    this.bytes -= bytesIn(dropped)
    dropped.forEach(this.#onDropped)
  }

  #secondKey(): number {
    return this.#segments.findIndex(({ isKey }, index) => index > 0 && isKey)
  }
}

/** Limits the recent segments of all sessions together. */
export class RecentMemory {
  readonly #maxBytes: number
  readonly #all = new Set<RecentSegments>()

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Calls `onDropped` with each segment that is no longer kept. */
  open(maxBytes: number, onDropped: (segment: Segment) => void): RecentSegments {
    const recent = new RecentSegments(maxBytes, onDropped)
    this.#all.add(recent)
    return recent
  }

  close(recent: RecentSegments): void {
    this.#all.delete(recent)
  }

  /** Drops the oldest segments of the largest sessions until all fit. */
  trim(): void {
    for (;;) {
      const all = [...this.#all]
      const largest = all.reduce<RecentSegments | undefined>(
        (most, each) => (most === undefined || each.bytes > most.bytes ? each : most),
        undefined,
      )
      if (largest === undefined || all.reduce((sum, { bytes }) => sum + bytes, 0) <= this.#maxBytes) {
        return
      }
      largest.dropOldest()
    }
  }
}
