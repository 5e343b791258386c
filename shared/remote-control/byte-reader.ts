import { Decoder } from '@msgpack/msgpack'

/** A message that violates the wire format; its connection ends. */
export class UndecodableMessage extends Error {
  override name = 'UndecodableMessage'
}

const decoder = new Decoder()

/**
 * Maximum number of values in a message. The largest frame has 70,000; a message of 64 MiB could hold as many values as
 * bytes, which take seconds to read or to skip.
 */
const maxValues = 100_000

/** Reads MessagePack values on demand. Unexpected data throws `UndecodableMessage`; input is untrusted. */
export class ByteReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  #at = 0
  #values = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  #take(count: number): number {
    const start = this.#at
    if (count > this.#bytes.length - start) {
      throw new UndecodableMessage('the message ends in the middle of a value')
    }
    this.#at += count
    return start
  }

  #head(): number {
    if (++this.#values > maxValues) {
      throw new UndecodableMessage(`the message has more than ${maxValues} values`)
    }
    return this.#view.getUint8(this.#take(1))
  }

  #size(bytes: 1 | 2 | 4): number {
    const at = this.#take(bytes)
    return bytes === 1 ? this.#view.getUint8(at) : bytes === 2 ? this.#view.getUint16(at) : this.#view.getUint32(at)
  }

  #refuse(wanted: string, head: number): never {
    throw new UndecodableMessage(`expected ${wanted}, found format 0x${head.toString(16).padStart(2, '0')}`)
  }

  /** True if the next value is null, which is then consumed. */
  isNothing(): boolean {
    if (this.#bytes[this.#at] !== 0xc0) {
      return false
    }
    this.#at++
    return true
  }

  boolean(): boolean {
    const head = this.#head()
    return head === 0xc3 || (head === 0xc2 ? false : this.#refuse('true or false', head))
  }

  /** Any encoding of an integer that fits into 32 bits. */
  integer(): number {
    const value = this.long()
    if (value < -0x80000000n || value > 0xffffffffn) {
      throw new UndecodableMessage(`${value} does not fit into 32 bits`)
    }
    return Number(value)
  }

  long(): bigint {
    const head = this.#head()
    return this.#longOf(head) ?? this.#refuse('an integer', head)
  }

  #longOf(head: number): bigint | undefined {
    if (head <= 0x7f || head >= 0xe0) {
      return BigInt(head <= 0x7f ? head : head - 0x100)
    }
    switch (head) {
      case 0xcc:
        return BigInt(this.#size(1))
      case 0xcd:
        return BigInt(this.#size(2))
      case 0xce:
        return BigInt(this.#size(4))
      case 0xcf:
        return this.#view.getBigUint64(this.#take(8))
      case 0xd0:
        return BigInt(this.#view.getInt8(this.#take(1)))
      case 0xd1:
        return BigInt(this.#view.getInt16(this.#take(2)))
      case 0xd2:
        return BigInt(this.#view.getInt32(this.#take(4)))
      case 0xd3:
        return this.#view.getBigInt64(this.#take(8))
      default:
        return undefined
    }
  }

  /** Any float or integer. */
  float(): number {
    const head = this.#head()
    if (head === 0xcb) {
      return this.#view.getFloat64(this.#take(8))
    }
    return head === 0xca
      ? this.#view.getFloat32(this.#take(4))
      : Number(this.#longOf(head) ?? this.#refuse('a number', head))
  }

  string(): string {
    const start = this.#at
    const head = this.#head()
    const length =
      head >= 0xa0 && head <= 0xbf
        ? head - 0xa0
        : head >= 0xd9 && head <= 0xdb
          ? this.#size(([1, 2, 4] as const)[head - 0xd9] ?? 4)
          : this.#refuse('a text', head)
    this.#take(length)
    return decoder.decode(this.#bytes.subarray(start, this.#at)) as string
  }

  /** A view on the bytes of the message. */
  binary(): Uint8Array {
    const head = this.#head()
    const length =
      head >= 0xc4 && head <= 0xc6 ? this.#size(([1, 2, 4] as const)[head - 0xc4] ?? 4) : this.#refuse('bytes', head)
    const at = this.#take(length)
    return this.#bytes.subarray(at, at + length)
  }

  mapHeader(): number {
    const head = this.#head()
    return this.#mapSize(head) ?? this.#refuse('a map', head)
  }

  listHeader(): number {
    const head = this.#head()
    return this.#listSize(head) ?? this.#refuse('a list', head)
  }

  #mapSize(head: number) {
    if (head >= 0x80 && head <= 0x8f) {
      return head - 0x80
    }
    return head === 0xde ? this.#size(2) : head === 0xdf ? this.#size(4) : undefined
  }

  #listSize(head: number) {
    if (head >= 0x90 && head <= 0x9f) {
      return head - 0x90
    }
    return head === 0xdc ? this.#size(2) : head === 0xdd ? this.#size(4) : undefined
  }

  /** Skips one value of any type, without recursion. */
  skip(): void {
    for (let left = 1; left > 0; left--) {
      const head = this.#head()
      left += (this.#mapSize(head) ?? 0) * 2 + (this.#listSize(head) ?? 0)
      this.#skipScalar(head)
    }
  }

  #skipScalar(head: number) {
    if (head >= 0xa0 && head <= 0xbf) {
      this.#take(head - 0xa0)
    } else if (head >= 0xc4 && head <= 0xc6) {
      this.#take(this.#size(([1, 2, 4] as const)[head - 0xc4] ?? 4))
    } else if (head >= 0xc7 && head <= 0xc9) {
      this.#take(this.#size(([1, 2, 4] as const)[head - 0xc7] ?? 4) + 1)
    } else if (head >= 0xca && head <= 0xd8) {
      this.#take([4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17][head - 0xca] ?? 0)
    } else if (head >= 0xd9 && head <= 0xdb) {
      this.#take(this.#size(([1, 2, 4] as const)[head - 0xd9] ?? 4))
    } else if (head === 0xc1) {
      this.#refuse('a value', head)
    }
  }
}
