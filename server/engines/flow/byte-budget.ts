/** The full limit: the total, or the share of one kind of key. */
export type FullLimit<Kind extends string> = Kind | 'all'

/**
 * Limits the bytes in use: in total, and per key of every kind, such as each principal and each device. The shares are
 * smaller than the total, so that no key can block the others alone.
 */
export class ByteBudget<Kind extends string> {
  #all: number
  #shares: Readonly<Record<Kind, number>>
  readonly #used = new Map<string, number>()

  constructor(all: number, shares: Readonly<Record<Kind, number>>) {
    this.#all = all
    this.#shares = shares
  }

  /** Sets the limits of accounts that are opened later. */
  resize(all: number, shares: Readonly<Record<Kind, number>>): void {
    this.#all = all
    this.#shares = shares
  }

  /** Bytes in use by all keys. */
  get used(): number {
    return this.#used.get('all') ?? 0
  }

  /** Opens an account of one user of the budget, for one key of each kind. */
  open(keys: Readonly<Record<Kind, string>>): HeldBytes<Kind> {
    const shares = (Object.keys(keys) as Kind[]).map((kind) => ({
      kind,
      limit: this.#shares[kind],
      counter: `${kind} ${keys[kind]}`,
    }))
    return new HeldBytes(this.#used, [...shares, { kind: 'all', limit: this.#all, counter: 'all' }])
  }
}

interface Share<Kind extends string> {
  kind: FullLimit<Kind>
  limit: number
  counter: string
}

/** Bytes of a budget in one use. The opener must close it, or the bytes are never released. */
export class HeldBytes<Kind extends string> {
  readonly #used: Map<string, number>
  readonly #shares: readonly Share<Kind>[]
  #bytes = 0

  constructor(used: Map<string, number>, shares: readonly Share<Kind>[]) {
    this.#used = used
    this.#shares = shares
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Takes bytes; if a limit is exceeded, takes none and returns that limit, a share before the total. */
  take(bytes: number): FullLimit<Kind> | undefined {
    const full = this.#shares.find(({ limit, counter }) => (this.#used.get(counter) ?? 0) + bytes > limit)
    if (!full) {
      this.#add(bytes)
    }
    return full?.kind
  }

  give(bytes: number): void {
    this.#add(-bytes)
  }

  /** Releases all bytes. */
  close(): void {
    this.#add(-this.#bytes)
  }

  #add(bytes: number): void {
    this.#bytes += bytes
    for (const { counter } of this.#shares) {
      const used = (this.#used.get(counter) ?? 0) + bytes
      if (used === 0) {
        this.#used.delete(counter)
      } else {
        this.#used.set(counter, used)
      }
    }
  }
}
