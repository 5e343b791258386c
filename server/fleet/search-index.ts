import { SortOrders } from './sort-orders.ts'
import type { FleetEntry } from './device-state.ts'
import type { ListedEntries } from './entry-changes.ts'
import { isAddressLike, searchedAddresses, searchKeys } from './search-keys.ts'
import type { Sort } from './sort-columns.ts'

/** Number of results cached for one list of devices, more than a busy office uses. */
const maxTexts = 64

/** Longer texts are not cached, to bound memory. */
const maxKeyLength = 200

interface Texts {
  /** All texts, each followed by a NUL, which cannot be searched for. */
  text: string
  /** End of each device's text. */
  ends: Uint32Array
}

/** Searched texts of a device. */
const textOf = {
  names: (entry: FleetEntry) => searchKeys(entry).text,
  addresses: searchedAddresses,
}
type Searched = keyof typeof textOf

/** Joins the texts of all devices: one search of the joined text takes a tenth of the time of separate searches. */
function joined(entries: readonly FleetEntry[], searched: Searched): Texts {
  const ends = new Uint32Array(entries.length)
  let end = 0
  const texts = entries.map((entry, position) => {
    const text = textOf[searched](entry)
    end += text.length + 1
    ends[position] = end
    return text
  })
  return { text: [...texts, ''].join('\0'), ends }
}

/** Sets `found` to 1 for each device whose text contains `wanted`. */
function findIn({ text, ends }: Texts, wanted: string, found: Uint8Array): void {
  let position = 0
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, ends[position++])) {
    while (ends[position]! <= at) {
      position++
    }
    found[position] = 1
  }
}

/**
 * Search results cached for a list of devices, reused by other pages and orders of a search. Follows the changes of its
 * devices; the fleet makes another list when a device is added, removed or moved.
 */
export class DeviceIndex {
  readonly #entries: readonly FleetEntry[]
  readonly #listed: ListedEntries
  readonly #changed: () => readonly number[]
  readonly #containing = new Map<string, Uint8Array>()
  readonly #orders: SortOrders
  readonly #states: Uint8Array
  readonly #counts = { tagged: 0, online: 0 }
  readonly #texts = new Map<Searched, Texts>()
  #textVersion: number

  constructor(listed: ListedEntries) {
    const { all, changes } = listed
    this.#entries = all
    this.#listed = listed
    this.#changed = listed.follow()
    this.#orders = new SortOrders(all)
    this.#states = new Uint8Array(all.length)
    this.#textVersion = changes.textVersion
    this.#count(all.keys())
  }

  /** For each device, 1 if one of its texts contains `wanted`, folded, otherwise 0; undefined if all match. */
  containing(wanted: string): Uint8Array | undefined {
    if (wanted === '') {
      return undefined
    }
    const { textVersion } = this.#listed.changes
    if (textVersion !== this.#textVersion) {
      this.#textVersion = textVersion
      this.#texts.clear()
      this.#containing.clear()
    }
    const known = this.#containing.get(wanted)
    if (known) {
      return known
    }
    const found = new Uint8Array(this.#entries.length)
    for (const searched of isAddressLike(wanted) ? (['names', 'addresses'] as const) : (['names'] as const)) {
      findIn(this.#joined(searched), wanted, found)
    }
    if (wanted.length <= maxKeyLength) {
      if (this.#containing.size >= maxTexts) {
        this.#containing.clear()
      }
      this.#containing.set(wanted, found)
    }
    return found
  }

  #joined(searched: Searched): Texts {
    const known = this.#texts.get(searched)
    const texts = known ?? joined(this.#entries, searched)
    this.#texts.set(searched, texts)
    return texts
  }

  /**
   * Flags of each device. A compact array, because counting thousands of entries is limited by memory access.
   */
  get states(): Uint8Array {
    this.#follow()
    return this.#states
  }

  /** Number of tagged devices, and of devices with a connected agent. */
  get counts(): { tagged: number; online: number } {
    this.#follow()
    return this.#counts
  }

  /** Returns a function with the positions of all devices in an order, as it is when called. */
  async order(sorts: readonly Sort[]): Promise<() => Uint32Array> {
    const order = await this.#orders.order(sorts)
    return () => {
      this.#follow()
      return order()
    }
  }

  #follow(): void {
    const positions = this.#changed()
    this.#count(positions)
    this.#orders.update(positions)
  }

  #count(positions: Iterable<number>): void {
    for (const position of positions) {
      const { isOnline, isTagged } = this.#entries[position]!
      const before = this.#states[position]!
      const state = (isOnline ? onlineFlag : 0) | (isTagged ? taggedFlag : 0)
      this.#states[position] = state
      this.#counts.online += (state & onlineFlag) - (before & onlineFlag)
      this.#counts.tagged += ((state & taggedFlag) - (before & taggedFlag)) / taggedFlag
    }
  }
}

/** Flags of a device in `DeviceIndex.states`. */
export const onlineFlag = 1
export const taggedFlag = 2
