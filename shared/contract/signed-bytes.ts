import { Encoder } from '@msgpack/msgpack'

/*
 * MessagePack by declared form. A library can not tell a double from an integer by its value, so the forms decide here.
 * The server runs this for every heartbeat: what nearly every value is (short ASCII text, a small integer, a double) is
 * written into one reused buffer, the rest by the library. Nothing here may be interrupted by an await.
 */

/** How a value is written: its MessagePack type, which its JSON does not tell. */
export type SignedForm =
  | 'guid'
  | 'string'
  | 'boolean'
  | 'integer'
  | 'double'
  /** A name in JSON, its number in the bytes. */
  | { readonly numbers: Readonly<Record<string, number>> }
  | { readonly list: SignedForm }
  /** The members that are there, in their order, under their PascalCase names. */
  | { readonly map: Readonly<Record<string, SignedForm>> }

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

/** What is rare. A lone surrogate becomes U+FFFD, as the encoders of the platforms involved write it. */
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

/** Head of a list or a map: up to 15 within the first byte, then 16 and 32 bits. */
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

function mapWriter(forms: Readonly<Record<string, SignedForm>>): Write {
  // Each member is found by its JSON name and, for peers of other habits, by that name in lower case.
  const members = new Map(
    Object.entries(forms).flatMap(([name, form]) => {
      const member = { key: library.encode(name.charAt(0).toUpperCase() + name.slice(1)), write: writerOf(form) }
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

function writerOf(form: SignedForm): Write {
  if (typeof form === 'string') {
    return writers[form]
  }
  if ('numbers' in form) {
    return numberWriter(form.numbers)
  }
  return 'list' in form ? listWriter(writerOf(form.list)) : mapWriter(form.map)
}

/**
 * Compiles a form to a function that gives a value's bytes, valid until the next call of any such function. It throws
 * `TypeError` naming the member that is unknown or of a wrong type.
 */
export function signedBytes(form: SignedForm): (value: unknown) => Uint8Array {
  const write = writerOf(form)
  return (value) => {
    position = 0
    write(value)
    return buffer.subarray(0, position)
  }
}
