import { TimeSlice } from '../ground/clock.ts'
import type { FleetEntry } from './device-state.ts'
import { sortColumns, type Sort, type SortKey } from './sort-columns.ts'

/** Orders kept for one list of devices, more than a busy office uses. */
const maxOrders = 16

/** Positions sorted at once before yielding: about a millisecond. */
const blockLength = 1024

type Comparison = (a: number, b: number) => number
type Keys = SortKey[]

/** Compares positions by the keys of the columns; equal devices keep the order of the list. */
function comparison(sorts: readonly Sort[], keysOf: (column: string) => Keys): Comparison {
  const [sort, ...others] = sorts
  if (sort === undefined) {
    return (a, b) => a - b
  }
  const keys = keysOf(sort.column)
  const { direction } = sort
  const byOthers = comparison(others, keysOf)
  return (a, b) => {
    const left = keys[a]!
    const right = keys[b]!
    return left === right ? byOthers(a, b) : left < right ? -direction : direction
  }
}

/** Merges two sorted halves of `from`, split at `middle`, into `into`. Pauses between blocks. */
async function merge(
  { from, into }: { from: Uint32Array; into: Uint32Array },
  { start, middle, end }: { start: number; middle: number; end: number },
  compare: Comparison,
  pause: () => Promise<void>,
): Promise<void> {
  let left = start
  let right = middle
  for (let at = start; at < end; at++) {
    const isLeft = right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0)
    into[at] = from[isLeft ? left++ : right++]!
    if (at % blockLength === 0) {
      await pause()
    }
  }
}

/** Sorts the positions below `count`. Yields, because ten thousand devices take longer than a time slice. */
async function sorted(count: number, compare: Comparison): Promise<Uint32Array> {
  const slice = new TimeSlice()
  const pause = async () => {
    if (slice.isOver) {
      await slice.yield()
    }
  }
  let from: Uint32Array = Uint32Array.from({ length: count }, (_, position) => position)
  for (let start = 0; start < count; start += blockLength) {
    from.subarray(start, start + blockLength).sort(compare)
    await pause()
  }
  let into: Uint32Array = new Uint32Array(count)
  for (let length = blockLength; length < count; length *= 2) {
    for (let start = 0; start < count; start += 2 * length) {
      const [middle, end] = [Math.min(start + length, count), Math.min(start + 2 * length, count)]
      await merge({ from, into }, { start, middle, end }, compare, pause)
    }
    ;[from, into] = [into, from]
  }
  return from
}

/** An order of all positions, and the positions whose keys have changed since it was made. */
class Order {
  readonly columns: ReadonlySet<string>
  readonly moved = new Set<number>()
  readonly #compare: Comparison
  #positions: Uint32Array = new Uint32Array()
  /** Resolves when the first sort has ended. */
  readonly made: Promise<void>

  constructor(count: number, sorts: readonly Sort[], keysOf: (column: string) => Keys) {
    this.columns = new Set(sorts.map(({ column }) => column))
    this.#compare = comparison(sorts, keysOf)
    // Sorts copies: a key that changes meanwhile would break the order of the others.
    const sort = async () => {
      this.#positions = await sorted(
        count,
        comparison(sorts, (column) => keysOf(column).slice()),
      )
    }
    this.made = sort()
  }

  /** Positions in order. Moves those whose keys have changed: takes them out, then finds the place of each. */
  current(): Uint32Array {
    const { moved } = this
    if (moved.size === 0) {
      return this.#positions
    }
    const positions = this.#positions
    const isMoved = new Uint8Array(positions.length)
    for (const position of moved) {
      isMoved[position] = 1
    }
    let rest = 0
    for (let at = 0; at < positions.length; at++) {
      const position = positions[at]!
      if (isMoved[position] === 0) {
        positions[rest++] = position
      }
    }
    let end = positions.length
    for (const position of [...moved].sort((a, b) => this.#compare(b, a))) {
      const place = this.#placeOf(position, rest)
      positions.copyWithin(end - (rest - place), place, rest)
      end -= rest - place
      rest = place
      positions[--end] = position
    }
    moved.clear()
    return positions
  }

  /** Place of a position among the first `count` of the order. */
  #placeOf(position: number, count: number): number {
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#positions[middle]!, position) < 0) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return low
  }
}

/** Sorted orders of a list of devices, kept while devices change: a search moves the changed ones only. */
export class SortOrders {
  readonly #entries: readonly FleetEntry[]
  /** Keys of the sorted columns, by position. */
  readonly #keys = new Map<string, Keys>()
  /** By use, the latest last. */
  readonly #orders = new Map<string, Order>()

  constructor(entries: readonly FleetEntry[]) {
    this.#entries = entries
  }

  /** Reads the keys of changed devices again. */
  update(positions: Iterable<number>): void {
    const orders = [...this.#orders.values()]
    for (const position of positions) {
      for (const [column, keys] of this.#keys) {
        const key = sortColumns[column]!(this.#entries[position]!)
        if (key !== keys[position]) {
          keys[position] = key
          for (const order of orders) {
            if (order.columns.has(column)) {
              order.moved.add(position)
            }
          }
        }
      }
    }
  }

  /** Returns a function with the positions of all devices in an order, as it is when called. */
  async order(sorts: readonly Sort[]): Promise<() => Uint32Array> {
    const name = sorts.map(({ column, direction }) => `${direction} ${column}`).join()
    const order = this.#orders.get(name) ?? new Order(this.#entries.length, sorts, (column) => this.#keysOf(column))
    this.#orders.delete(name)
    this.#orders.set(name, order)
    const [oldest] = this.#orders
    if (oldest && this.#orders.size > maxOrders) {
      this.#orders.delete(oldest[0])
      this.#dropUnusedKeys()
    }
    await order.made
    return () => order.current()
  }

  #keysOf(column: string): Keys {
    const known = this.#keys.get(column)
    if (known) {
      return known
    }
    const keys = this.#entries.map(sortColumns[column]!)
    this.#keys.set(column, keys)
    return keys
  }

  #dropUnusedKeys(): void {
    for (const column of this.#keys.keys()) {
      if (![...this.#orders.values()].some(({ columns }) => columns.has(column))) {
        this.#keys.delete(column)
      }
    }
  }
}
