const headBytes = 4

/** Each item behind its length: the bounds of items have a meaning, and HTTP keeps none. */
export async function* framed(items: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const item of items) {
    const head = Buffer.alloc(headBytes)
    head.writeUInt32BE(item.length)
    yield head
    yield item
  }
}

/** The items again. Throws if the bytes end within one. */
export async function* unframed(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of bytes) {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= headBytes && rest.length >= headBytes + rest.readUInt32BE(0)) {
      const end = headBytes + rest.readUInt32BE(0)
      yield rest.subarray(headBytes, end)
      rest = rest.subarray(end)
    }
  }
  if (rest.length > 0) {
    throw new Error('The other server ended within an item.')
  }
}
