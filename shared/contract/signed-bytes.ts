import { Encoder } from '@msgpack/msgpack'

/*
 * MessagePack with declared encodings. A library cannot distinguish a double from an integer by its value, so the
 * declaration decides. The server runs this code for every heartbeat: typical values (short ASCII text, small integers,
 * doubles) are written into one reused buffer, all others by the library. No code here may await.
 */

/** MessagePack type of a value, which JSON does not express. */
export type SignedEncoding =
  | 'guid'
  | 'string'
  | 'boolean'
  | 'integer'
  | 'double'
  /** A name in JSON, a number in the bytes. */
  | { readonly numbers: Readonly<Record<string, number>> }
  | { readonly list: SignedEncoding }
  /** The present members, in their order, under their PascalCase names. */
  | { readonly map: Readonly<Record<string, SignedEncoding>> }

type Write = (value: unknown) => void

const library = new Encoder()
let buffer = new Uint8Array(4096)
let view = new DataView(buffer.buffer)
let position = 0

function reserve(bytes: number) {
  if (position + bytes <= buffer.length) {
    return
  }
  const grown = new Uint8Array(Math.max(buffer.length * 2, position + bytes))
  grown.set(buffer)
  buffer = grown
  view = new DataView(buffer.buffer)
}

function append(bytes: Uint8Array) {
  reserve(bytes.length)
  buffer.set(bytes, position)
  position += bytes.length
}

/** Writes uncommon values. A lone surrogate becomes U+FFFD, as in the encoders of the other platforms. */
const writeByLibrary = (value: string | number | null) =>
  append(library.encodeSharedRef(typeof value === 'string' ? value.toWellFormed() : value))

function isAsciiCopied(text: string, at: number) {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit > 0x7f) {
      return false
    }
    buffer[at + index] = unit
  }
  return true
}

function writeString(value: unknown) {
  if (value === null) {
    writeByLibrary(null)
    return
  }
  if (typeof value !== 'string') {
    throw new TypeError(`expected a string, got ${typeof value}`)
  }
  const { length } = value
  reserve(2 + length)
  const headerBytes = length <= 31 ? 1 : 2
  if (length > 0xff || !isAsciiCopied(value, position + headerBytes)) {
    writeByLibrary(value)
    return
  }
  if (headerBytes === 1) {
    buffer[position] = 0xa0 | length
  } else {
    buffer[position] = 0xd9
    buffer[position + 1] = length
  }
  position += headerBytes + length
}

function writeGuid(value: unknown) {
  if (typeof value !== 'string' || value.length !== 36) {
    throw new TypeError('expected a GUID of 36 characters')
  }
  writeString(value.toLowerCase())
}

function writeBoolean(value: unknown) {
  if (typeof value !== 'boolean') {
    throw new TypeError(`expected true or false, got ${typeof value}`)
  }
  reserve(1)
  buffer[position++] = value ? 0xc3 : 0xc2
}

function writeInteger(value: unknown) {
  if (typeof value !== 'number' || !Number.isInteger(value) || value > 0xffffffff || value < -0x80000000) {
    throw new TypeError('expected a 32-bit integer')
  }
  if (value < 0 || value > 0x7f) {
    writeByLibrary(value)
    return
  }
  reserve(1)
  buffer[position++] = value
}

function writeDouble(value: unknown) {
  if (typeof value !== 'number') {
    throw new TypeError(`expected a number, got ${typeof value}`)
  }
  reserve(9)
  buffer[position] = 0xcb
  view.setFloat64(position + 1, value)
  position += 9
}

/** Writes the head of a list or a map: up to 15 in the first byte, then 16 or 32 bits. */
function writeCount(count: number, fixTag: number, tag16: number) {
  reserve(5)
  if (count <= 15) {
    buffer[position++] = fixTag | count
  } else if (count <= 0xffff) {
    buffer[position] = tag16
    view.setUint16(position + 1, count)
    position += 3
  } else {
    buffer[position] = tag16 + 1
    view.setUint32(position + 1, count)
    position += 5
  }
}

function numberWriter(numbers: Readonly<Record<string, number>>): Write {
  const byName = new Map(Object.entries(numbers).map(([name, number]) => [name.toLowerCase(), number]))
  return (value) => writeInteger(typeof value === 'string' ? byName.get(value.toLowerCase()) : value)
}

const listWriter =
  (writeItem: Write): Write =>
  (value) => {
    if (value === null) {
      writeByLibrary(null)
      return
    }
    if (!Array.isArray(value)) {
      throw new TypeError(`expected an array, got ${typeof value}`)
    }
    writeCount(value.length, 0x90, 0xdc)
    value.forEach(writeItem)
  }

function mapWriter(encodings: Readonly<Record<string, SignedEncoding>>): Write {
  // Members by JSON name and, for peers with other letter case, by lower-case name.
  const members = new Map(
    Object.entries(encodings).flatMap(([name, encoding]) => {
      const member = { key: library.encode(name.charAt(0).toUpperCase() + name.slice(1)), write: writerOf(encoding) }
      return [
        [name, member],
        [name.toLowerCase(), member],
      ] as const
    }),
  )
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new TypeError('expected an object')
    }
    const names = Object.keys(value)
    writeCount(names.length, 0x80, 0xde)
    for (const name of names) {
      const member = members.get(name) ?? members.get(name.toLowerCase())
      if (!member) {
        throw new TypeError(`unknown member "${name}"`)
      }
      append(member.key)
      try {
        member.write((value as Record<string, unknown>)[name])
      } catch (error) {
        throw new TypeError(`${name}: ${(error as Error).message}`)
      }
    }
  }
}

const writers = {
  guid: writeGuid,
  string: writeString,
  boolean: writeBoolean,
  integer: writeInteger,
  double: writeDouble,
}

function writerOf(encoding: SignedEncoding): Write {
  if (typeof encoding === 'string') {
    return writers[encoding]
  }
  if ('numbers' in encoding) {
    return numberWriter(encoding.numbers)
  }
  return 'list' in encoding ? listWriter(writerOf(encoding.list)) : mapWriter(encoding.map)
}

/**
 * Compiles an encoding to a function that returns a value's bytes, valid until the next call of any such function. The
 * function throws `TypeError` naming the member that is unknown or of a wrong type.
 */
export function signedBytes(encoding: SignedEncoding): (value: unknown) => Uint8Array {
  const write = writerOf(encoding)
  return (value) => {
    position = 0
    write(value)
    return buffer.subarray(0, position)
  }
}
