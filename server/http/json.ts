const bytesOfFrozen = new WeakMap<object, Buffer>()

const bytesOf = (value: unknown) => Buffer.from(JSON.stringify(value))

const isFrozenObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.isFrozen(value)

const mark = {
  arrayStart: Buffer.from('['),
  arrayEnd: Buffer.from(']'),
  comma: Buffer.from(','),
  end: Buffer.from('}'),
}

/** JSON of a frozen object: made once, and kept for as long as the object lives. */
function frozenBytes(value: object): Buffer {
  const known = bytesOfFrozen.get(value)
  if (known) {
    return known
  }
  const bytes = bytesOf(value)
  bytesOfFrozen.set(value, bytes)
  return bytes
}

/** JSON of each item in turn, and what stands between them. */
export function* listPieces(items: Iterable<unknown>): Generator<Buffer> {
  let separator = mark.arrayStart
  for (const item of items) {
    yield separator
    yield isFrozenObject(item) ? frozenBytes(item) : bytesOf(item)
    separator = mark.comma
  }
  if (separator === mark.arrayStart) {
    yield separator
  }
  yield mark.arrayEnd
}

/**
 * A value as JSON in UTF-8. Whoever freezes an object promises that nothing inside it changes either: its text is made only
 * once. A frozen page, which has such objects as its `items`, is put together from theirs.
 */
export function jsonBytes(value: unknown): Buffer {
  if (!isFrozenObject(value)) {
    return bytesOf(value)
  }
  if (!('items' in value) || !Array.isArray(value.items)) {
    return frozenBytes(value)
  }
  const { items, ...rest } = value
  const members = JSON.stringify(rest).slice(0, -1)
  const start = Buffer.from(`${members}${members === '{' ? '' : ','}"items":`)
  return Buffer.concat([start, ...listPieces(items as unknown[]), mark.end])
}
