import { ByteWriter } from './byte-writer.ts'

/*
 * MessagePack with declared encodings. A library cannot distinguish a double from an integer by its value, so the
 * declaration decides. The server runs this code for every heartbeat: all values share one writer. No code here may
 * await.
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

const writer = new ByteWriter(4096)

function writeString(value: unknown) {
  if (value === null) {
    writer.nothing()
    return
  }
  if (typeof value !== 'string') {
    throw new TypeError(`expected a string, got ${typeof value}`)
  }
  writer.string(value)
}

function writeGuid(value: unknown) {
  if (typeof value !== 'string' || value.length !== 36) {
    throw new TypeError('expected a GUID of 36 characters')
  }
  writer.string(value.toLowerCase())
}

function writeBoolean(value: unknown) {
  if (typeof value !== 'boolean') {
    throw new TypeError(`expected true or false, got ${typeof value}`)
  }
  writer.boolean(value)
}

function writeInteger(value: unknown) {
  if (typeof value !== 'number') {
    throw new TypeError('expected a 32-bit integer')
  }
  writer.integer(value)
}

function writeDouble(value: unknown) {
  if (typeof value !== 'number') {
    throw new TypeError(`expected a number, got ${typeof value}`)
  }
  writer.double(value)
}

function numberWriter(numbers: Readonly<Record<string, number>>): Write {
  const byName = new Map(Object.entries(numbers).map(([name, number]) => [name.toLowerCase(), number]))
  return (value) => writeInteger(typeof value === 'string' ? byName.get(value.toLowerCase()) : value)
}

const listWriter =
  (writeItem: Write): Write =>
  (value) => {
    if (value === null) {
      writer.nothing()
      return
    }
    if (!Array.isArray(value)) {
      throw new TypeError(`expected an array, got ${typeof value}`)
    }
    writer.listHeader(value.length)
    value.forEach(writeItem)
  }

function encodedString(text: string): Uint8Array {
  const bytes = new ByteWriter()
  bytes.string(text)
  return bytes.result()
}

function mapWriter(encodings: Readonly<Record<string, SignedEncoding>>): Write {
  // Members by JSON name and, for peers with other letter case, by lower-case name.
  const members = new Map(
    Object.entries(encodings).flatMap(([name, encoding]) => {
      const member = { key: encodedString(name.charAt(0).toUpperCase() + name.slice(1)), write: writerOf(encoding) }
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
    writer.mapHeader(names.length)
    for (const name of names) {
      const member = members.get(name) ?? members.get(name.toLowerCase())
      if (!member) {
        throw new TypeError(`unknown member "${name}"`)
      }
      writer.append(member.key)
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
    writer.length = 0
    write(value)
    return writer.result()
  }
}
