/** Limit that is full: the one for all bytes, or the share of one kind of key. */
export type FullLimit<Kind extends string> = Kind | 'all'

/**
 * Limits the bytes that are held at once: in total, and for each key of every kind, such as each principal and each device.
 * The shares are smaller than the total, so nobody stops the others alone.
 */
export class ByteBudget<Kind extends string> {
  readonly #all: number
  readonly #shares: Readonly<Record<Kind, number>>
  readonly #used = new Map<string, number>()

  constructor(all: number, shares: Readonly<Record<Kind, number>>) {
    this.#all = all
    this.#shares = shares
  }

  /** Bytes held now, by all keys. */
  get used(): number {
    return this.#used.get('all') ?? 0
  }

  /** Starts to count the bytes that one use of the budget holds, for one key of each kind. */
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

/** Bytes of a budget that one use of it holds. Whoever opened it closes it, or the bytes are held for ever. */
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

  /** Takes bytes; where a limit has no room for them, takes none and returns that limit, a share before the total. */
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

  /** Gives back all bytes. */
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
