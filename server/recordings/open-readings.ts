import type { Block } from './block-file.ts'

/** Readings without a request are forgotten then. */
const unusedMs = 60 * 60_000
const maxReadings = 100

/** A visit to a recording by its reader. */
export interface Reading {
  id: string
  recordingId: string
  owner: string
  blocks: readonly Block[]
  usedAt: number
}

/** Recordings that are being read, each announced in the audit log. */
export class Readings {
  readonly #readings = new Map<string, Reading>()

  add(reading: Reading): void {
    const oldest = [...this.#readings.values()].filter(({ usedAt }) => usedAt < reading.usedAt - unusedMs)
    oldest.forEach(({ id }) => this.#readings.delete(id))
    const [first] = this.#readings.keys()
    if (this.#readings.size >= maxReadings && first !== undefined) {
      this.#readings.delete(first)
    }
    this.#readings.set(reading.id, reading)
  }

  get(id: string): Reading | undefined {
    return this.#readings.get(id)
  }
}
