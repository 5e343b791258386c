const usualBytes = 256 * 1024

const mebibyte = 1024 * 1024
/** Memory for unfinished messages of all recorded sessions. */
const totalBytes = 192 * mebibyte
/** A message of the largest size. */
const deviceBytes = 64 * mebibyte

/** Device of a recorded session, and its tenant. */
export interface AssemblyOwner {
  readonly tenant: string
  readonly device: string
}

const sumBy = (holders: Iterable<MessageAssembly>, keyOf: (owner: AssemblyOwner) => string) => {
  const sums = new Map<string, number>()
  for (const { owner, bytes } of holders) {
    sums.set(keyOf(owner), (sums.get(keyOf(owner)) ?? 0) + bytes)
  }
  return (owner: AssemblyOwner) => sums.get(keyOf(owner)) ?? 0
}

/**
 * Memory for unfinished messages. Devices decide how long their messages stay unfinished, so nobody keeps a share: where
 * memory is missing, the tenant that holds more than the one that asks loses a message, and of its devices the one that
 * holds most (T44).
 */
export class AssemblyMemory {
  readonly #holders = new Set<MessageAssembly>()

  /** Bytes in use. */
  get used(): number {
    return this.#holders.values().reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /** Makes room for more bytes of a message; false if others would have less than its sender. */
  take(by: MessageAssembly, bytes: number): boolean {
    if (sumBy(this.#holders, ({ device }) => device)(by.owner) + bytes > deviceBytes) {
      return false
    }
    while (this.used + bytes > totalBytes) {
      const victim = this.#victimFor(by, bytes)
      if (!victim) {
        return false
      }
      victim.drop()
    }
    this.#holders.add(by)
    return true
  }

  release(holder: MessageAssembly): void {
    this.#holders.delete(holder)
  }

  #victimFor(by: MessageAssembly, bytes: number): MessageAssembly | undefined {
    const others = [...this.#holders].filter((holder) => holder !== by)
    const idle = others.find(({ isIdle }) => isIdle)
    if (idle) {
      return idle
    }
    const ofTenant = sumBy(this.#holders, ({ tenant }) => tenant)
    const ofDevice = sumBy(this.#holders, ({ device }) => device)
    const [largest] = others.toSorted(
      (a, b) => ofTenant(b.owner) - ofTenant(a.owner) || ofDevice(b.owner) - ofDevice(a.owner) || b.bytes - a.bytes,
    )
    if (!largest || ofTenant(largest.owner) > ofTenant(by.owner) + bytes) {
      return largest
    }
    const [sibling] = others
      .filter(({ owner }) => owner.tenant === by.owner.tenant)
      .toSorted((a, b) => ofDevice(b.owner) - ofDevice(a.owner) || b.bytes - a.bytes)
    return sibling && ofDevice(sibling.owner) > ofDevice(by.owner) + bytes ? sibling : undefined
  }
}

/** Joins the pieces of a message. */
export class MessageAssembly {
  readonly owner: AssemblyOwner
  readonly #maxBytes: number
  readonly #memory: AssemblyMemory
  readonly #onLeftOut: () => void
  #bytes = Buffer.alloc(0)
  #length = 0
  #isTooLong = false

  /** Leaves out longer messages, and those for which no memory is left; calls `onLeftOut` at the end of each. */
  constructor(maxBytes: number, memory: AssemblyMemory, owner: AssemblyOwner, onLeftOut: () => void = () => {}) {
    this.#maxBytes = maxBytes
    this.#memory = memory
    this.owner = owner
    this.#onLeftOut = onLeftOut
  }

  /** Whether it holds memory between messages only. */
  get isIdle(): boolean {
    return this.#length === 0
  }

  /** Memory that it holds. */
  get bytes(): number {
    return this.#bytes.length
  }

  /** Returns the message with its last piece; valid until the next piece. Undefined before, and for a long message. */
  add(piece: Buffer, isLast: boolean): Buffer | undefined {
    if (isLast && this.#length === 0 && !this.#isTooLong && piece.length <= this.#maxBytes) {
      return piece
    }
    if (!this.#isTooLong && (this.#length + piece.length > this.#maxBytes || !this.#append(piece))) {
      this.close()
      this.#isTooLong = true
    }
    if (!isLast) {
      return undefined
    }
    const isLeftOut = this.#isTooLong
    const message = isLeftOut ? undefined : this.#bytes.subarray(0, this.#length)
    this.#length = 0
    this.#isTooLong = false
    if (isLeftOut) {
      this.#onLeftOut()
    }
    if (this.#bytes.length > usualBytes) {
      this.close()
    }
    return message
  }

  /** Releases the memory. */
  close(): void {
    this.#memory.release(this)
    this.#bytes = Buffer.alloc(0)
    this.#length = 0
  }

  /** Releases the memory; an unfinished message is left out. */
  drop(): void {
    this.#isTooLong = this.#length > 0
    this.close()
  }

  #append(piece: Buffer): boolean {
    const end = this.#length + piece.length
    if (end > this.#bytes.length) {
      const length = Math.min(this.#maxBytes, Math.max(end, 2 * this.#bytes.length, usualBytes))
      if (!this.#memory.take(this, length - this.#bytes.length)) {
        return false
      }
      const larger = Buffer.allocUnsafe(length)
      this.#bytes.copy(larger, 0, 0, this.#length)
      this.#bytes = larger
    }
    this.#length += piece.copy(this.#bytes, this.#length)
    return true
  }
}
