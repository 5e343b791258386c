import { InvalidDataException } from '../errors.ts'

const maxDepth = 64

/**
 * Walks a MessagePack value without building it. The codec allocates an array as large as its header claims, so a few
 * bytes could ask for gigabytes, and deep nesting would exhaust the stack of whoever walks the result later. After this
 * check every announced element is known to be there.
 */
export function checkMessagePackShape(bytes: Uint8Array, maxValues = Infinity): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  /** Values still to come in each open array or map, outermost first. */
  const open: number[] = [1]
  let at = 0
  let values = 0
  while (open.length > 0) {
    if (++values > maxValues) {
      throw new InvalidDataException(`The maximum of ${maxValues} values in a message was exceeded.`)
    }
    if (at >= bytes.length) {
      throw truncated()
    }
    const { size, children } = head(view, at)
    at += size
    if (at > bytes.length) {
      throw truncated()
    }

    open[open.length - 1] = (open[open.length - 1] as number) - 1
    if (children > 0) {
      open.push(children)
    }
    if (open.length > maxDepth + 1) {
      throw new InvalidDataException(`The maximum depth of ${maxDepth} was exceeded.`)
    }
    while (open.at(-1) === 0) {
      open.pop()
    }
  }
  if (at < bytes.length) {
    throw new InvalidDataException('Extra bytes behind the message.')
  }
}

/** Of the value at `at`: its own bytes (payload of strings and the like included), and how many values it holds. */
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

/** Bytes of the formats from 0xc0 on whose size follows from the first byte; 0 is filled in above. */
const fixedSizes = [1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 5, 9, 2, 3, 5, 9, 2, 3, 5, 9, 3, 4, 6, 10, 18, 0, 0, 0, 0, 0, 0, 0]

const truncated = () => new InvalidDataException('The message is shorter than its contents announce.')
