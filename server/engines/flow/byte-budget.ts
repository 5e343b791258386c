/** The full limit: the total, or the share of one kind of key. */
export type FullLimit<Kind extends string> = Kind | 'all'

/**
 * Limit of each key, by its kind; `left` limits a key to as much as is left for all, or to an equal part of the total if
 * that is more. So no key takes the last from the others (T44), and a key alone has the total.
 */
export type Shares<Kind extends string> = Readonly<Record<Kind, number | 'left'>>

/**
 * Limits the bytes in use: in total, and per key of every kind, such as each principal and each device. The shares are
 * smaller than the total, so that no key can block the others alone.
 */
export class ByteBudget<Kind extends string> {
  #all: number
  #shares: Shares<Kind>
  readonly #keys: () => number
  readonly #used = new Map<string, number>()

  /** `keys` returns the number of keys with a share of what is left. */
  constructor(all: number, shares: Shares<Kind>, keys: () => number = () => Infinity) {
    this.#all = all
    this.#shares = shares
    this.#keys = keys
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
      const counter = `${kind} ${keys[kind]}`
      const allows = (after: number, bytes: number) =>
        share === 'left'
          ? after <= all - this.used - bytes || after <= this.#equalPart(all, kind, counter)
          : after <= share
      return { kind, allows, counter }
    })
    return new HeldBytes(this.#used, [...shares, { kind: 'all', allows: (after) => after <= all, counter: 'all' }])
  }

  /**
   * Part of a key among those that share equally: the key, the others of its kind with bytes, and the next without, if there
   * is one. Only the total limits a key alone.
   */
  #equalPart(all: number, kind: Kind, counter: string): number {
    const others = [...this.#used.keys()].filter((key) => key !== counter && key.startsWith(`${kind} `))
    const sharers = Math.min(this.#keys(), others.length + 2)
    return sharers > 1 ? all / sharers : Infinity
  }
}

interface Share<Kind extends string> {
  kind: FullLimit<Kind>
  /** Whether the key may have as many bytes after it takes some more. */
  allows: (after: number, bytes: number) => boolean
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
    const full = this.#shares.find(({ allows, counter }) => !allows((this.#used.get(counter) ?? 0) + bytes, bytes))
    if (!full) {
      this.#add(bytes)
    }
    return full?.kind
  }

  give(bytes: number): void {
    this.#add(-bytes)
  }

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
