const mebibyte = 1024 * 1024

/** Peer whose bytes are counted. */
export interface InputSource {
  /** Closes the connection of the peer. */
  drop(): void
  /**
   * True if the server waits for the peer: whole messages that wait for the server are not dropped. Default: always
   * true.
   */
  isUnfinished?(): boolean
}

/** Memory for the input of one peer, or for the output that it has not read. */
export interface HeldInput {
  take(bytes: number): void
  give(bytes: number): void
  /** Takes or gives what is missing to a number of bytes. */
  set(bytes: number): void
  /** Releases all bytes, and counts no more. */
  close(): void
}

/** Bytes and peers of one address or owner. */
interface Share {
  /** Address, or id of the owner. */
  key: string
  bytes: number
  peers: number
}

/**
 * Limits the memory for input of peers: of unproved ones, without a credential and without the key of a device, by
 * address, and for unfinished messages of the others by owner. Above the share of a key its peer with the oldest
 * unfinished input is dropped, above the limit of all the peer with the oldest of all. Whole input that waits for
 * processing is dropped only above the limit of all, and of the key that holds most. The same limits are those of the
 * output that clients do not read.
 */
export class InputBudget {
  readonly #limits: { all: number; share: number }
  readonly #shares = new Map<string, Share>()
  /** Peers with input, in the order of their first byte. */
  readonly #holders = new Set<Holder>()
  #used = 0

  constructor({ all = 32 * mebibyte, share = 8 * mebibyte } = {}) {
    this.#limits = { all, share }
  }

  /** Bytes of all peers in memory. */
  get used(): number {
    return this.#used
  }

  open(key: string, source: InputSource): HeldInput {
    const share: Share = this.#shares.get(key) ?? { key, bytes: 0, peers: 0 }
    this.#shares.set(key, share)
    share.peers++
    return new Holder(this, share, source)
  }

  take(holder: Holder, bytes: number): void {
    const { share } = holder
    this.#holders.add(holder)
    this.#add(holder, bytes)
    const { all, share: ofKey } = this.#limits
    while (share.bytes > ofKey && this.#dropOldest((each) => each.share === share && each.isUnfinished)) {
      // Drops peers until there is room or only whole input is left.
    }
    while (this.#used > all && this.#dropOldest((each) => each.isUnfinished)) {
      // Drops unfinished input of all peers, oldest first.
    }
    while (this.#used > all) {
      const largest = this.#largestShare()
      this.#dropOldest((each) => each.share === largest)
    }
  }

  give(holder: Holder, bytes: number): void {
    this.#add(holder, -Math.min(bytes, holder.bytes))
    if (holder.bytes === 0) {
      this.#holders.delete(holder)
    }
  }

  close(holder: Holder): void {
    const { share } = holder
    this.give(holder, holder.bytes)
    if (--share.peers === 0) {
      this.#shares.delete(share.key)
    }
  }

  #add(holder: Holder, bytes: number): void {
    holder.bytes += bytes
    holder.share.bytes += bytes
    this.#used += bytes
  }

  /** Returns false if no peer may be dropped. */
  #dropOldest(mayDrop: (holder: Holder) => boolean): boolean {
    for (const holder of this.#holders) {
      if (mayDrop(holder)) {
        holder.close()
        holder.drop()
        return true
      }
    }
    return false
  }

  #largestShare(): Share | undefined {
    let largest: Share | undefined
    for (const share of this.#shares.values()) {
      if (!largest || share.bytes > largest.bytes) {
        largest = share
      }
    }
    return largest
  }
}

class Holder implements HeldInput {
  readonly share: Share
  bytes = 0
  isClosed = false
  readonly #input: InputBudget
  readonly #source: InputSource

  constructor(input: InputBudget, share: Share, source: InputSource) {
    this.#input = input
    this.share = share
    this.#source = source
  }

  get isUnfinished(): boolean {
    return this.#source.isUnfinished?.() ?? true
  }

  drop(): void {
    this.#source.drop()
  }

  take(bytes: number): void {
    if (!this.isClosed) {
      this.#input.take(this, bytes)
    }
  }

  give(bytes: number): void {
    if (!this.isClosed) {
      this.#input.give(this, bytes)
    }
  }

  set(bytes: number): void {
    if (bytes > this.bytes) {
      this.take(bytes - this.bytes)
    } else if (bytes < this.bytes) {
      this.give(this.bytes - bytes)
    }
  }

  close(): void {
    if (!this.isClosed) {
      this.isClosed = true
      this.#input.close(this)
    }
  }
}
