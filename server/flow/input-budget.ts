const mebibyte = 1024 * 1024

/** Readers resumed per event-loop iteration, if there is room. */
const startsPerIteration = 32

/** Peer whose input is counted. */
export interface InputSource {
  /** Closes the connection of the peer. */
  drop(): void
  /**
   * True if the server waits for the peer: whole messages that wait for the server are not dropped. Default: always
   * true.
   */
  isUnfinished?(): boolean
}

/** Socket that can pause reading while there is no room for its input. */
export interface PausableReader {
  start(): void
  stop(): void
}

/** Memory for the input of one peer. */
export interface HeldInput {
  take(bytes: number): void
  give(bytes: number): void
  /** Starts the reader once there is room. Stops it if other input fills the room before its input arrives. */
  readWhenRoom(reader: PausableReader): void
  /** Releases all bytes, and counts no more. */
  close(): void
}

/** Bytes and peers of one address or owner. */
interface Share {
  /** Address, or id of the owner. */
  key: string
  bytes: number
  peers: number
  /** Idle readers, whose input is read at once. Made with the first: thousands of owners have none. */
  reading?: Set<Holder>
  /** Readers waiting for room, in FIFO order. */
  waiting?: Set<Holder>
}

/**
 * Limits the memory for input of peers: of unproved ones, without a credential and without the key of a device, by
 * address, and for unfinished messages of the others by owner. When the limit is reached, the peer with the oldest unfinished input is dropped, within the key whose share is full. If
 * all input is whole and waits for processing, reading from the others pauses, so that TCP slows them down; a peer that
 * cannot be paused is dropped.
 */
export class InputBudget {
  readonly #limits: { all: number; share: number }
  readonly #shares = new Map<string, Share>()
  /** Shares with waiting readers, in the order in which they are served. */
  readonly #waiting = new Set<Share>()
  /** Peers with input, in the order of their first byte. */
  readonly #holders = new Set<Holder>()
  #used = 0
  #isStarting = false

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
    share.reading?.delete(holder)
    this.#add(holder, bytes)
    while (this.#isOver(share) && this.#dropOldest(this.#fullScope(share))) {
      // Drops peers until there is room or only whole input is left.
    }
    if (holder.isClosed || !this.#isOver(share)) {
      return
    }
    if (holder.reader) {
      this.#stopReaders(this.#fullScope(share))
    } else {
      this.#drop(holder)
    }
  }

  give(holder: Holder, bytes: number): void {
    this.#add(holder, -Math.min(bytes, holder.bytes))
    if (holder.bytes === 0) {
      this.#holders.delete(holder)
    }
    this.#startWaiting()
  }

  readWhenRoom(holder: Holder): void {
    const { share } = holder
    while (this.#isFull(share) && this.#dropOldest(this.#fullScope(share), holder)) {
      // Makes room: a peer that waits here has sent more than the dropped peers.
    }
    if (this.#isFull(share)) {
      // The socket may have begun to read before it had a holder, and would read another chunk.
      this.#stop(holder)
    } else {
      this.#start(holder)
    }
  }

  close(holder: Holder): void {
    const { share } = holder
    this.give(holder, holder.bytes)
    share.reading?.delete(holder)
    if (this.#endWait(holder)) {
      holder.reader?.start()
    }
    if (--share.peers === 0) {
      this.#shares.delete(share.key)
    }
  }

  #add(holder: Holder, bytes: number): void {
    holder.bytes += bytes
    holder.share.bytes += bytes
    this.#used += bytes
  }

  #isOver({ bytes }: Share): boolean {
    return bytes > this.#limits.share || this.#used > this.#limits.all
  }

  #isFull({ bytes }: Share): boolean {
    return bytes >= this.#limits.share || this.#used >= this.#limits.all
  }

  /** The full share; undefined if the total limit is full. */
  #fullScope(share: Share): Share | undefined {
    return share.bytes >= this.#limits.share ? share : undefined
  }

  /** Returns false if no peer may be dropped. */
  #dropOldest(scope: Share | undefined, except?: Holder): boolean {
    for (const holder of this.#holders) {
      if ((!scope || holder.share === scope) && holder !== except && holder.isUnfinished) {
        this.#drop(holder)
        return true
      }
    }
    return false
  }

  #drop(holder: Holder): void {
    holder.close()
    holder.drop()
  }

  #stopReaders(scope: Share | undefined): void {
    for (const { reading } of scope ? [scope] : this.#shares.values()) {
      reading?.forEach((holder) => this.#stop(holder))
      reading?.clear()
    }
  }

  #stop(holder: Holder): void {
    const { share } = holder
    holder.reader?.stop()
    share.waiting ??= new Set()
    share.waiting.add(holder)
    this.#waiting.add(share)
  }

  /** Returns false if the reader does not wait. */
  #endWait(holder: Holder): boolean {
    const { share } = holder
    const hasWaited = share.waiting?.delete(holder) === true
    if (share.waiting?.size === 0) {
      this.#waiting.delete(share)
    }
    return hasWaited
  }

  #start(holder: Holder): void {
    const { share } = holder
    share.reading ??= new Set()
    share.reading.add(holder)
    holder.reader?.start()
  }

  /** Resumes waiting readers, a few per event-loop iteration: each may fill the room again. */
  #startWaiting(): void {
    if (this.#isStarting || !this.#findStartable()) {
      return
    }
    this.#isStarting = true
    setImmediate(() => {
      this.#isStarting = false
      for (let count = 0; count < startsPerIteration; count++) {
        const holder = this.#findStartable()
        if (!holder) {
          return
        }
        this.#endWait(holder)
        // Other keys come first the next time.
        if (this.#waiting.delete(holder.share)) {
          this.#waiting.add(holder.share)
        }
        this.#start(holder)
      }
      this.#startWaiting()
    })
  }

  #findStartable(): Holder | undefined {
    for (const share of this.#waiting) {
      if (!this.#isFull(share)) {
        const [first] = share.waiting!
        return first
      }
    }
    return undefined
  }
}

class Holder implements HeldInput {
  readonly share: Share
  reader: PausableReader | undefined
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

  readWhenRoom(reader: PausableReader): void {
    this.reader = reader
    if (this.isClosed) {
      reader.start()
    } else {
      this.#input.readWhenRoom(this)
    }
  }

  close(): void {
    if (!this.isClosed) {
      this.isClosed = true
      this.#input.close(this)
    }
  }
}
