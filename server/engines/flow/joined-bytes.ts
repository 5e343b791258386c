const minBytes = 1024

/** Bytes that arrive in chunks, copied into one buffer: kept chunks of a few bytes would take much more memory (T20). */
export class JoinedBytes {
  #buffer = Buffer.allocUnsafeSlow(minBytes)
  length = 0

  /** Size of the buffer with `count` more bytes. */
  sizeWith(count: number): number {
    const needed = this.length + count
    return needed > this.#buffer.length ? Math.max(needed, this.#buffer.length * 2) : this.#buffer.length
  }

  add(chunk: Uint8Array): void {
    const size = this.sizeWith(chunk.length)
    if (size > this.#buffer.length) {
      this.#buffer = Buffer.concat([this.#buffer], size)
    }
    this.#buffer.set(chunk, this.length)
    this.length += chunk.length
  }

  get bytes(): Buffer {
    return this.#buffer.subarray(0, this.length)
  }
}

export async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all = new JoinedBytes()
  for await (const chunk of chunks) {
    all.add(chunk)
  }
  return all.bytes
}
