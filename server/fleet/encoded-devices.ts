import { TimeSlice } from '../ground/clock.ts'
import { jsonText, type EncodedItems } from '../ground/json.ts'
import type { DeviceState } from './device-state.ts'
import type { ListedEntries } from './entry-changes.ts'

/** Devices encoded together: a change of one device encodes so many again. */
const blockLength = 64

/** Memory of encoded lists. Lists beyond it are encoded by each request, except for the one read last. */
const maxBytes = 32 * 1024 * 1024

/** The encoded lists of a fleet, which share a limit of memory: the one not read for longest is dropped. */
export class EncodedLists {
  /** By use, the latest last. */
  readonly #bytes = new Map<EncodedDevices<object>, number>()

  /** Notes a read of a list that keeps `bytes` bytes. */
  used(list: EncodedDevices<object>, bytes: number): void {
    this.#bytes.delete(list)
    this.#bytes.set(list, bytes)
    let total = this.#bytes.values().reduce((sum, each) => sum + each, 0)
    for (const [oldest, size] of this.#bytes) {
      if (total <= maxBytes || oldest === list) {
        return
      }
      total -= size
      oldest.drop()
      this.#bytes.delete(oldest)
    }
  }
}

/** JSON of a list of devices, kept in blocks. A block is encoded again after a change of one of its devices. */
export class EncodedDevices<T extends object> implements EncodedItems<T> {
  readonly #entries: ListedEntries
  readonly #present: (device: DeviceState) => T
  readonly #lists: EncodedLists
  readonly #changed: () => readonly number[]
  #blocks: (Buffer | undefined)[] = []

  constructor(entries: ListedEntries, present: (device: DeviceState) => T, lists: EncodedLists) {
    this.#entries = entries
    this.#present = present
    this.#lists = lists
    this.#changed = entries.follow()
  }

  [Symbol.iterator](): Iterator<T> {
    return this.#entries.all.values().map(({ device }) => this.#present(device))
  }

  /** Frees the memory. */
  drop(): void {
    this.#blocks = []
  }

  /** Yields, because thousands of devices take longer than a time slice. */
  async parts(): Promise<readonly Buffer[]> {
    for (const position of this.#changed()) {
      this.#blocks[Math.floor(position / blockLength)] = undefined
    }
    const count = Math.max(1, Math.ceil(this.#entries.all.length / blockLength))
    const slice = new TimeSlice()
    const parts: Buffer[] = []
    for (let block = 0; block < count; block++) {
      parts.push((this.#blocks[block] ??= this.#encode(block, block === count - 1)))
      if (slice.isOver) {
        await slice.yield()
      }
    }
    this.#lists.used(
      this,
      parts.reduce((sum, { length }) => sum + length, 0),
    )
    return parts
  }

  #encode(block: number, isLast: boolean): Buffer {
    const start = block * blockLength
    const texts = this.#entries.all
      .slice(start, start + blockLength)
      .map(({ device }) => jsonText(this.#present(device)))
    return Buffer.from(`${block === 0 ? '[' : ','}${texts.join(',')}${isLast ? ']' : ''}`)
  }
}
