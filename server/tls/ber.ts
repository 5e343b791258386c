/** An ASN.1 element, in the encodings of certificates and keys (BER, and its subset DER). */
export interface Element {
  tag: number
  /** Child elements of a constructed element. */
  children: Element[]
  /** Content; the pieces of a fragmented octet string are joined. */
  content: Buffer
  /** The whole element, with tag and length. */
  raw: Buffer
}

export const tags = { integer: 0x02, octets: 0x04, oid: 0x06, sequence: 0x30, octetsInPieces: 0x24 } as const

const constructed = 0x20
const inPieces: readonly number[] = [tags.octetsInPieces, 0xa0]
const mostDepth = 40
/** A file with its chain has a few hundred. */
const mostElements = 10_000

/** Reads one element. Throws if the input is empty or truncated. */
export function readElement(bytes: Buffer): Element {
  let at = 0
  let elements = 0
  const byte = () => {
    const value = bytes[at++]
    if (value === undefined) {
      throw new Error('The file is truncated.')
    }
    return value
  }
  const lengthOf = (first: number) => {
    let length = first < 0x80 ? first : 0
    for (let more = first < 0x80 ? 0 : first - 0x80; more > 0; more--) {
      length = length * 256 + byte()
    }
    return length
  }
  /**
   * An element ends no later than its parent: otherwise each of many elements could contain the rest of the file again.
   */
  const read = (depth: number, limit: number): Element => {
    if (depth > mostDepth || ++elements > mostElements) {
      throw new Error('The file has too many elements.')
    }
    const start = at
    const tag = byte()
    const first = byte()
    const isEndless = first === 0x80
    const length = isEndless ? 0 : lengthOf(first)
    const begin = at
    const end = isEndless ? limit : begin + length
    if (!Number.isSafeInteger(end) || end > limit) {
      throw new Error('The file is truncated.')
    }
    const children: Element[] = []
    if ((tag & constructed) !== 0) {
      while (isEndless ? bytes[at] !== 0 || bytes[at + 1] !== 0 : at < end) {
        children.push(read(depth + 1, end))
      }
    }
    const last = isEndless ? at : end
    at = isEndless ? at + 2 : end
    if (at > limit) {
      throw new Error('The file is truncated.')
    }
    const pieces = inPieces.includes(tag) && children.every((child) => child.tag === tags.octets)
    return {
      tag,
      children,
      content: pieces ? Buffer.concat(children.map(({ content }) => content)) : bytes.subarray(begin, last),
      raw: bytes.subarray(start, at),
    }
  }
  return read(0, bytes.length)
}

/** An integer of up to six bytes, enough for lengths and counts. */
export function numberIn({ tag, content }: Element): number {
  if (tag !== tags.integer || content.length === 0) {
    throw new Error('A number is missing.')
  }
  return content.length > 6 ? Infinity : content.readUIntBE(0, content.length)
}

/** An object identifier in dotted notation: `1.2.840.113549.1.12.10.1.3`. */
export function oidIn({ tag, content }: Element): string {
  if (tag !== tags.oid) {
    throw new Error('An object identifier is missing.')
  }
  const arcs: number[] = []
  let arc = 0
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const [first = 0, ...others] = arcs
  const root = Math.min(2, Math.floor(first / 40))
  return [root, first - root * 40, ...others].join('.')
}

/** Descends to an element by child indexes. Throws if a child is missing. */
export function below(element: Element, ...places: number[]): Element {
  return places.reduce((parent, place) => {
    const child = parent.children[place]
    if (!child) {
      throw new Error('A part is missing.')
    }
    return child
  }, element)
}
