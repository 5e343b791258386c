import { UndecodableMessage, type ByteReader } from './byte-reader.ts'
import type { ByteWriter } from '../contract/byte-writer.ts'

/*
 * MessagePack type of a value, which JavaScript cannot derive from the value (1 may be an integer, a single or a
 * double).
 */

export interface Encoding<T> {
  write(to: ByteWriter, value: T): void
  read(from: ByteReader): T
  /** Value of a missing member. */
  readonly missing: T
}

export type Value<F> = F extends Encoding<infer T> ? T : never
type Members = Readonly<Record<string, Encoding<unknown>>>
type LeftOut<M extends Members> = { [K in keyof M]: undefined extends Value<M[K]> ? K : never }[keyof M]
type Values<M extends Members> = { [K in Exclude<keyof M, LeftOut<M>>]: Value<M[K]> } & {
  [K in LeftOut<M>]?: Value<M[K]>
}

/** Maximum number of list items and map entries: no message needs more, and each costs far more than its byte. */
const maxItems = 10_000
/** Maximum number of members of a tuple: unknown ones, of newer versions, are skipped one by one. */
const maxTupleMembers = 32

/** Maximum number of members of a map: ours have 20 at most, and unknown ones are read by name. */
const maxMembers = 1_000

/** 32-bit integer. A float is rejected. */
export const integer: Encoding<number> = {
  write: (to, value) => to.integer(value),
  read: (from) => from.integer(),
  missing: 0,
}

/** 64-bit integer, exact. */
export const long: Encoding<bigint> = { write: (to, value) => to.long(value), read: (from) => from.long(), missing: 0n }

export const double: Encoding<number> = {
  write: (to, value) => to.double(value),
  read: (from) => from.float(),
  missing: 0,
}

export const single: Encoding<number> = {
  write: (to, value) => to.single(value),
  read: (from) => from.float(),
  missing: 0,
}

export const boolean: Encoding<boolean> = {
  write: (to, value) => to.boolean(value),
  read: (from) => from.boolean(),
  missing: false,
}

/** Null is decoded as an empty string. */
export const string: Encoding<string> = {
  write: (to, value) => to.string(value),
  read: (from) => (from.isNothing() ? '' : from.string()),
  missing: '',
}

/** 36 characters, lower case. */
export const guid: Encoding<string> = {
  write: (to, value) => to.string(value.toLowerCase()),
  read: (from) => from.string().toLowerCase(),
  missing: '00000000-0000-0000-0000-000000000000',
}

/** Decoded as a view on the message, without a copy. */
export const binary: Encoding<Uint8Array> = {
  write: (to, value) => to.binary(value),
  read: (from) => (from.isNothing() ? new Uint8Array() : from.binary()),
  missing: new Uint8Array(),
}

export const nullable = <T>(encoding: Encoding<T>): Encoding<T | null> => ({
  write: (to, value) => (value === null ? to.nothing() : encoding.write(to, value)),
  read: (from) => (from.isNothing() ? null : encoding.read(from)),
  missing: null,
})

/** A member omitted when undefined, for compatibility with other implementations; last in tuples. */
export const optional = <T>(encoding: Encoding<T>): Encoding<T | undefined> => ({
  write: (to, value) => (value === undefined ? undefined : encoding.write(to, value)),
  read: (from) => encoding.read(from),
  missing: undefined,
})

/** A number enum; an unknown number is decoded as the first value. */
export function oneOf<const V extends Readonly<Record<string, number>>>(values: V): Encoding<V[keyof V]> {
  const known = Object.values(values) as V[keyof V][]
  const missing = known[0] as V[keyof V]
  const read = (from: ByteReader) => {
    const number = from.integer()
    return known.find((value) => value === number) ?? missing
  }
  return { write: (to, value) => to.integer(value), read, missing }
}

function countOf(count: number, most = maxItems): number {
  if (count > most) {
    throw new UndecodableMessage(`${count} items are more than ${most}`)
  }
  return count
}

export const list = <T>(item: Encoding<T>, most = maxItems): Encoding<readonly T[]> => ({
  write(to, values) {
    to.listHeader(values.length)
    values.forEach((value) => item.write(to, value))
  },
  read: (from) => Array.from({ length: countOf(from.listHeader(), most) }, () => item.read(from)),
  missing: [],
})

/** Texts by name. */
export const texts: Encoding<ReadonlyMap<string, string>> = {
  write(to, values) {
    to.mapHeader(values.size)
    values.forEach((value, key) => {
      to.string(key)
      to.string(value)
    })
  },
  read(from) {
    const count = from.isNothing() ? 0 : countOf(from.mapHeader())
    return new Map(Array.from({ length: count }, () => [from.string(), from.string()]))
  },
  missing: new Map(),
}

type Named = readonly { name: string; encoding: Encoding<unknown> }[]
type Unnamed = Record<string, unknown>

const namedOf = (members: Members): Named => Object.entries(members).map(([name, encoding]) => ({ name, encoding }))
const missingOf = (named: Named): Unnamed =>
  Object.fromEntries(named.map(({ name, encoding }) => [name, encoding.missing]))
/** Leaves out undefined members. */
const presentOf = <M extends { name: string }>(named: readonly M[], values: Unnamed): readonly M[] =>
  named.filter(({ name }) => values[name] !== undefined)

/** Encodes members under their PascalCase names, in order; decodes them in any order, and skips unknown members. */
export function map<const M extends Members>(members: M): Encoding<Values<M>> {
  const named = namedOf(members).map(({ name, encoding }) => {
    const key = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
    return { name, key, encoding }
  })
  const byKey = new Map(named.map((member) => [member.key, member]))
  const missing = missingOf(named)
  return {
    write(to, values: Unnamed) {
      const present = presentOf(named, values)
      to.mapHeader(present.length)
      for (const { name, key, encoding } of present) {
        to.string(key)
        encoding.write(to, values[name])
      }
    },
    read(from) {
      const values = { ...missing }
      for (let left = countOf(from.mapHeader(), maxMembers); left > 0; left--) {
        const member = byKey.get(from.string())
        if (member) {
          values[member.name] = member.encoding.read(from)
        } else {
          from.skip()
        }
      }
      return values as Values<M>
    },
    missing: missing as Values<M>,
  }
}

/** Encodes members by position, without names. */
export function tuple<const M extends Members>(members: M): Encoding<Values<M>> {
  const named = namedOf(members)
  const missing = missingOf(named)
  return {
    write(to, values: Unnamed) {
      const present = presentOf(named, values)
      to.listHeader(present.length)
      present.forEach(({ name, encoding }) => encoding.write(to, values[name]))
    },
    read(from) {
      const values = { ...missing }
      const count = countOf(from.listHeader(), maxTupleMembers)
      for (let index = 0; index < count; index++) {
        const member = named[index]
        if (member) {
          values[member.name] = member.encoding.read(from)
        } else {
          from.skip()
        }
      }
      return values as Values<M>
    },
    missing: missing as Values<M>,
  }
}
