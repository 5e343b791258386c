import { InvalidDataException } from '../errors.ts'

const maxDepth = 64

/** Result of scanning a MessagePack value. */
export interface Shape {
  /** Arrays and maps are nested deeper than the limit. */
  isTooDeep: boolean
  /** The value holds integers that a number cannot represent exactly. */
  hasLargeIntegers: boolean
}

/**
 * Scans a MessagePack value without building it. The codec allocates an array as large as its header claims, so a few
 * bytes could allocate gigabytes, and deep nesting would exhaust the stack of later recursive code. After this check
 * every announced element is known to exist.
 */
export function checkMessagePackShape(bytes: Uint8Array, maxValues = Infinity): Shape {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const shape = { isTooDeep: false, hasLargeIntegers: false }
  if (walk(view, 0, maxValues, shape) < bytes.length) {
    throw new InvalidDataException('Extra bytes after the message.')
  }
  return shape
}

/** Splits a checked array into the bytes of its elements; undefined for any other value. */
export function elementsOf(bytes: Uint8Array): Uint8Array[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const first = view.getUint8(0)
  if ((first < 0x90 || first >= 0xa0) && first !== 0xdc && first !== 0xdd) {
    return undefined
  }
  const { size, children } = head(view, 0)
  const elements: Uint8Array[] = []
  for (let at = size; elements.length < children;) {
    const end = walk(view, at, Infinity)
    elements.push(bytes.subarray(at, end))
    at = end
  }
  return elements
}

/** Returns the end of the value at `at`, and records its shape in `shape`. */
function walk(view: DataView, at: number, maxValues: number, shape?: Shape): number {
  /** Remaining values of each open array or map, outermost first. */
  const open: number[] = [1]
  let values = 0
  while (open.length > 0) {
    if (++values > maxValues) {
      throw new InvalidDataException(`The maximum of ${maxValues} values in a message was exceeded.`)
    }
    if (at >= view.byteLength) {
      throw truncated()
    }
    const { size, children } = head(view, at)
    const end = at + size
    if (end > view.byteLength) {
      throw truncated()
    }
    if (shape && size === 9 && isLargeInteger(view, at)) {
      shape.hasLargeIntegers = true
    }
    at = end

    open[open.length - 1] = (open[open.length - 1] as number) - 1
    if (children > 0) {
      open.push(children)
    }
    if (shape && open.length > maxDepth + 1) {
      shape.isTooDeep = true
    }
    while (open.at(-1) === 0) {
      open.pop()
    }
  }
  return at
}

const unsignedFormat = 0xcf
const signedFormat = 0xd3
/** The upper half of the first 64-bit integer that a number cannot represent exactly. */
const firstInexact = 2 ** 21

function isLargeInteger(view: DataView, at: number): boolean {
  const format = view.getUint8(at)
  if (format === unsignedFormat) {
    return view.getUint32(at + 1) >= firstInexact
  }
  const upper = view.getInt32(at + 1)
  return format === signedFormat && (upper >= firstInexact || upper < -firstInexact)
}

/**
 * Reads the head of the value at `at`: its own size, including the payload of strings and the like, and its number of
 * child values.
 */
function head(view: DataView, at: number): { size: number; children: number } {
  const byte = view.getUint8(at)
  const length = (width: 1 | 2 | 4): number => {
    if (at + 1 + width > view.byteLength) {
      throw truncated()
    }
    return width === 1 ? view.getUint8(at + 1) : width === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1)
  }
  if (byte < 0x80 || byte >= 0xe0) {
    return { size: 1, children: 0 }
  }
  if (byte < 0x90) {
    return { size: 1, children: (byte & 0x0f) * 2 }
  }
  if (byte < 0xa0) {
    return { size: 1, children: byte & 0x0f }
  }
  if (byte < 0xc0) {
    return { size: 1 + (byte & 0x1f), children: 0 }
  }
  switch (byte) {
    case 0xc4: // bin
    case 0xd9: // str
      return { size: 2 + length(1), children: 0 }
    case 0xc5:
    case 0xda:
      return { size: 3 + length(2), children: 0 }
    case 0xc6:
    case 0xdb:
      return { size: 5 + length(4), children: 0 }
    case 0xc7: // ext
      return { size: 3 + length(1), children: 0 }
    case 0xc8:
      return { size: 4 + length(2), children: 0 }
    case 0xc9:
      return { size: 6 + length(4), children: 0 }
    case 0xdc: // array
      return { size: 3, children: length(2) }
    case 0xdd:
      return { size: 5, children: length(4) }
    case 0xde: // map
      return { size: 3, children: length(2) * 2 }
    case 0xdf:
      return { size: 5, children: length(4) * 2 }
    default:
      return { size: fixedSizes[byte - 0xc0] as number, children: 0 }
  }
}

/** Sizes of the formats from 0xc0 on that follow from the first byte; 0 for formats handled above. */
const fixedSizes = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0]

const truncated = () => new InvalidDataException('The message is shorter than its contents announce.')
