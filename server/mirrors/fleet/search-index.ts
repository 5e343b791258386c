import type { FleetEntry, SearchKeys } from './device-state.ts'

/** Number of results cached for one list of devices, more than a busy office uses. */
const maxTexts = 64
const maxOrders = 16

/** Longer texts are not cached, to bound memory. */
const maxKeyLength = 200

/** The texts of a device in lower case, one per line; cached until they change. */
export function searchKeys(entry: FleetEntry): SearchKeys {
  if (!entry.searchKeys) {
    const { name, alias, dnsHostName, currentUsers } = entry.device
    const text = [name, alias ?? '', dnsHostName, currentUsers.join(', ')].join('\n').toLowerCase()
    entry.searchKeys = { text, name: name.toLowerCase() }
  }
  return entry.searchKeys
}

interface Texts {
  /** All texts, each followed by a NUL, which cannot be searched for. */
  text: string
  /** End of each device's text. */
  ends: Uint32Array
}

/** Joins the texts of all devices: one search of the joined text takes a tenth of the time of separate searches. */
function joined(entries: readonly FleetEntry[]): Texts {
  const ends = new Uint32Array(entries.length)
  let end = 0
  const texts = entries.map((entry, position) => {
    const { text } = searchKeys(entry)
    end += text.length + 1
    ends[position] = end
    return text
  })
  return { text: [...texts, ''].join('\0'), ends }
}

/** Adds to a cache that is cleared when full. */
function cached<T>(table: Map<string, T>, max: number, key: string, value: T): T {
  if (key.length > maxKeyLength) {
    return value
  }
  if (table.size >= max) {
    table.clear()
  }
  table.set(key, value)
  return value
}

/**
 * Search results cached for a list of devices, reused by other pages and orders of a search. The fleet makes another
 * list when a text changes, not when a device reports its load.
 */
export class DeviceIndex {
  readonly #entries: readonly FleetEntry[]
  readonly #containing = new Map<string, Uint8Array>()
  readonly #orders = new Map<string, Uint32Array>()
  #texts: Texts | undefined
  #states = new Uint8Array()
  #statesOf: number | undefined

  constructor(entries: readonly FleetEntry[]) {
    this.#entries = entries
  }

  /** For each device, 1 if one of its texts contains `wanted` (lower case), otherwise 0; undefined if all match. */
  containing(wanted: string): Uint8Array | undefined {
    if (wanted === '') {
      return undefined
    }
    const known = this.#containing.get(wanted)
    if (known) {
      return known
    }
    const found = new Uint8Array(this.#entries.length)
    const { text, ends } = (this.#texts ??= joined(this.#entries))
    let position = 0
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, ends[position++])) {
      while (ends[position]! <= at) {
        position++
      }
      found[position] = 1
    }
    return cached(this.#containing, maxTexts, wanted, found)
  }

  /**
   * Flags of each device; `version` is the fleet's. A compact array, because counting thousands of entries is limited
   * by memory access.
   */
  states(version: number): Uint8Array {
    if (version !== this.#statesOf) {
      this.#statesOf = version
      this.#states = new Uint8Array(this.#entries.length)
      this.#entries.forEach(({ isOnline, isTagged }, position) => {
        this.#states[position] = (isOnline ? onlineFlag : 0) | (isTagged ? taggedFlag : 0)
      })
    }
    return this.#states
  }

  /** Positions of all devices in the order `name`; `compare` makes the comparison on first use. */
  order(name: string, compare: () => (a: number, b: number) => number): Uint32Array {
    const known = this.#orders.get(name)
    return known ?? cached(this.#orders, maxOrders, name, new Uint32Array(this.#entries.keys()).sort(compare()))
  }
}

/** Flags of a device in `DeviceIndex.states`. */
export const onlineFlag = 1
export const taggedFlag = 2
