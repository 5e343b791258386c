/** Address with its number of connections, and their limit. */
export interface AddressCount {
  address: string
  count: number
  limit: number
}

/** Open connections per counted address. */
export class AddressCounts {
  readonly #counts = new Map<string, AddressCount>()

  of(address: string): number {
    return this.#counts.get(address)?.count ?? 0
  }

  add(address: string, limit: number): void {
    const known = this.#counts.get(address)
    if (known) {
      known.count++
    } else {
      this.#counts.set(address, { address, count: 1, limit })
    }
  }

  remove(address: string): void {
    const known = this.#counts.get(address)
    if (known && --known.count === 0) {
      this.#counts.delete(address)
    }
  }

  /** Address that is closest to its limit. */
  get nearest(): AddressCount | undefined {
    return nearestOf(this.#counts.values())
  }
}

/** Count that uses the largest share of its limit. */
export function nearestOf(counts: Iterable<AddressCount | undefined>): AddressCount | undefined {
  let nearest: AddressCount | undefined
  for (const one of counts) {
    if (one && one.count / one.limit > (nearest ? nearest.count / nearest.limit : 0)) {
      nearest = one
    }
  }
  return nearest
}
