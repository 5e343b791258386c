import { Encoder } from '@msgpack/msgpack'

const encoder = new Encoder()

/**
 * Writes MessagePack values into one growing buffer: integers in their shortest encoding, floats as single or double.
 */
export class ByteWriter {
  #bytes: Uint8Array
  #view: DataView
  length = 0

  constructor(capacity = 256) {
    this.#bytes = new Uint8Array(capacity)
    this.#view = new DataView(this.#bytes.buffer)
  }

  /** The written bytes; shares memory with the writer. */
  result(): Uint8Array {
    return this.#bytes.subarray(0, this.length)
  }

  /** Reserves space, and returns its start. */
  #take(count: number): number {
    const start = this.length
    this.length += count
    if (this.length > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#bytes.length * 2, this.length))
      grown.set(this.#bytes.subarray(0, start))
      this.#bytes = grown
      this.#view = new DataView(grown.buffer)
    }
    return start
  }

  byte(value: number): void {
    const at = this.#take(1)
    this.#bytes[at] = value
  }

  append(bytes: Uint8Array): void {
    const at = this.#take(bytes.length)
    this.#bytes.set(bytes, at)
  }

  #number8(format: number, value: number) {
    const at = this.#take(2)
    this.#bytes[at] = format
    this.#bytes[at + 1] = value
  }

  #number16(format: number, value: number) {
    const at = this.#take(3)
    this.#bytes[at] = format
    this.#view.setUint16(at + 1, value)
  }

  #number32(format: number, value: number) {
    const at = this.#take(5)
    this.#bytes[at] = format
    this.#view.setUint32(at + 1, value)
  }

  boolean(value: boolean): void {
    this.byte(value ? 0xc3 : 0xc2)
  }

  nothing(): void {
    this.byte(0xc0)
  }

  /** A 32-bit integer, signed or unsigned. */
  integer(value: number): void {
    if (!Number.isInteger(value) || value > 0xffffffff || value < -0x80000000) {
      throw new TypeError(`expected a 32-bit integer, got ${value}`)
    }
    if (value >= -0x20 && value <= 0x7f) {
      this.byte(value & 0xff)
    } else if (value >= 0) {
      this.#unsigned(value)
    } else if (value >= -0x80) {
      this.#number8(0xd0, value & 0xff)
    } else if (value >= -0x8000) {
      this.#number16(0xd1, value & 0xffff)
    } else {
      this.#number32(0xd2, value >>> 0)
    }
  }

  #unsigned(value: number) {
    if (value <= 0xff) {
      this.#number8(0xcc, value)
    } else if (value <= 0xffff) {
      this.#number16(0xcd, value)
    } else {
      this.#number32(0xce, value)
    }
  }

  long(value: bigint): void {
    if (value >= -0x80000000n && value <= 0xffffffffn) {
      this.integer(Number(value))
      return
    }
    const at = this.#take(9)
    this.#bytes[at] = value < 0n ? 0xd3 : 0xcf
    this.#view.setBigUint64(at + 1, BigInt.asUintN(64, value))
  }

  single(value: number): void {
    const at = this.#take(5)
    this.#bytes[at] = 0xca
    this.#view.setFloat32(at + 1, value)
  }

  double(value: number): void {
    const at = this.#take(9)
    this.#bytes[at] = 0xcb
    this.#view.setFloat64(at + 1, value)
  }

  /**
   * Copies short ASCII text, the usual case, without the library. A lone surrogate becomes U+FFFD: strict readers reject
   * lone surrogates.
   */
  string(value: string): void {
    const { length } = value
    if (length > 0xff || !this.#isAsciiCopied(value, length <= 31 ? 1 : 2)) {
      this.append(encoder.encodeSharedRef(value.toWellFormed()))
    }
  }

  /** Writes the text behind a header of that size; writes nothing and returns false if a character is not ASCII. */
  #isAsciiCopied(text: string, headerBytes: number): boolean {
    const start = this.#take(headerBytes + text.length)
    const bytes = this.#bytes
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index)
      if (unit > 0x7f) {
        this.length = start
        return false
      }
      bytes[start + headerBytes + index] = unit
    }
    if (headerBytes === 1) {
      bytes[start] = 0xa0 | text.length
    } else {
      bytes[start] = 0xd9
      bytes[start + 1] = text.length
    }
    return true
  }

  binary(value: Uint8Array): void {
    this.#binaryHeader(value.length)
    this.append(value)
  }

  #binaryHeader(length: number) {
    if (length <= 0xff) {
      this.#number8(0xc4, length)
    } else if (length <= 0xffff) {
      this.#number16(0xc5, length)
    } else {
      this.#number32(0xc6, length)
    }
  }

  /** Writes bytes in place, under the shortest header: long content is not moved. */
  nested(write: () => void): void {
    const start = this.length
    const widest = 5
    this.#take(widest)
    write()
    const end = this.length
    const length = end - start - widest
    this.length = start
    this.#binaryHeader(length)
    if (this.length < start + widest) {
      this.#bytes.copyWithin(this.length, start + widest, end)
    }
    this.length += length
  }

  mapHeader(count: number): void {
    this.#count(count, 0x80, 0xde)
  }

  listHeader(count: number): void {
    this.#count(count, 0x90, 0xdc)
  }

  /** Up to 15 in the first byte, then 16 or 32 bits. */
  #count(count: number, short: number, format16: number) {
    if (count <= 15) {
      this.byte(short | count)
    } else if (count <= 0xffff) {
      this.#number16(format16, count)
    } else {
      this.#number32(format16 + 1, count)
    }
  }
}
