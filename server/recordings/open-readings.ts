import type { Block } from './block-file.ts'

/** Readings without a request are forgotten then. */
const unusedMs = 60 * 60_000
const maxReadings = 200
/** Readings of one owner, so that no reader ends the readings of others. */
const maxOfOwner = 20

/** A visit to a recording by its reader. */
export interface Reading {
  id: string
  recordingId: string
  owner: string
  blocks: readonly Block[]
  /** Monotonic milliseconds. */
  usedAt: number
}

/** Recordings that are being read, each announced in the audit log. */
export class Readings {
  readonly #readings = new Map<string, Reading>()

  add(reading: Reading): void {
    const oldestFirst = [...this.#readings.values()].toSorted((one, other) => one.usedAt - other.usedAt)
    const ofOwner = oldestFirst.filter(({ owner }) => owner === reading.owner)
    const ended = [
      ...oldestFirst.filter(({ usedAt }) => usedAt < reading.usedAt - unusedMs),
      ...ofOwner.slice(0, Math.max(0, ofOwner.length - maxOfOwner + 1)),
    ]
    ended.forEach(({ id }) => this.#readings.delete(id))
    const [oldest] = oldestFirst.filter(({ id }) => this.#readings.has(id))
    if (this.#readings.size >= maxReadings && oldest) {
      this.#readings.delete(oldest.id)
    }
    this.#readings.set(reading.id, reading)
  }

  get(id: string, now: number): Reading | undefined {
    const reading = this.#readings.get(id)
    return reading && reading.usedAt >= now - unusedMs ? reading : undefined
  }
}
