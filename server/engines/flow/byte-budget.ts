/** The full limit: the total, or the share of one kind of key. */
export type FullLimit<Kind extends string> = Kind | 'all'

/**
 * Limit of each key, by its kind; `left` limits a key to as much as is left for all. The first such key gets half of the
 * total and each further one half of the rest, so that none takes the last from the others (T44).
 */
export type Shares<Kind extends string> = Readonly<Record<Kind, number | 'left'>>

/**
 * Limits the bytes in use: in total, and per key of every kind, such as each principal and each device. The shares are
 * smaller than the total, so that no key can block the others alone.
 */
export class ByteBudget<Kind extends string> {
  #all: number
  #shares: Shares<Kind>
  readonly #used = new Map<string, number>()

  constructor(all: number, shares: Shares<Kind>) {
    this.#all = all
    this.#shares = shares
  }

  /** Sets the limits of accounts that are opened later. */
  resize(all: number, shares: Shares<Kind>): void {
    this.#all = all
    this.#shares = shares
  }

  /** Bytes in use by all keys. */
  get used(): number {
    return this.#used.get('all') ?? 0
  }

  /** Opens an account of one user of the budget, for one key of each kind. */
  open(keys: Readonly<Record<Kind, string>>): HeldBytes<Kind> {
    const all = this.#all
    const shares = (Object.keys(keys) as Kind[]).map((kind) => {
      const share: number | 'left' = this.#shares[kind]
      return {
        kind,
        limit: (bytes: number) => (share === 'left' ? all - this.used - bytes : share),
        counter: `${kind} ${keys[kind]}`,
      }
    })
    return new HeldBytes(this.#used, [...shares, { kind: 'all', limit: () => all, counter: 'all' }])
  }
}

interface Share<Kind extends string> {
  kind: FullLimit<Kind>
  /** Most bytes of the key once it has taken some more. */
  limit: (bytes: number) => number
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
    const full = this.#shares.find(({ limit, counter }) => (this.#used.get(counter) ?? 0) + bytes > limit(bytes))
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
