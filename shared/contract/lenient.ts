import { z } from 'zod'
import { cutText } from '../cut-text.ts'

/** Converts a value from the wire to the spelling of a schema. */
export type Reader = (value: unknown) => unknown

const asIs: Reader = (value) => value

const readNumber: Reader = (value) =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value

/** An integer beyond 2^53 is rounded to a number, as in JSON. */
const readInteger: Reader = (value) => (typeof value === 'bigint' ? Number(value) : value)

/** Conversions beyond the spelling of members. */
export interface ReaderOptions {
  /** Converts a numeric string to a number. */
  numbers?: boolean
  /** Converts the protocol's representation of a string format, such as `base64` or `datetime`. */
  strings?: (format: string | undefined) => Reader | undefined
}

function objectReader(shape: Record<string, z.core.$ZodType>, options: ReaderOptions): Reader {
  const members = new Map(
    Object.entries(shape).map(([name, schema]) => [name.toLowerCase(), { name, read: reader(schema, options) }]),
  )
  const exact = new Map([...members.values()].map((member) => [member.name, member]))
  // Names have ASCII letters only, so another letter case has the same length.
  const lengths = new Set([...exact.keys()].map(({ length }) => length))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return value
    }
    const result: Record<string, unknown> = {}
    // Without the values: a body may have thousands of unknown members.
    for (const key of Object.keys(value)) {
      const member = exact.get(key) ?? (lengths.has(key.length) ? members.get(key.toLowerCase()) : undefined)
      // The exact spelling wins over others, as in `memberOf`: a signature may cover it.
      if (
        member &&
        (key === member.name || !(Object.hasOwn(value, member.name) || Object.hasOwn(result, member.name)))
      ) {
        result[member.name] = member.read((value as Record<string, unknown>)[key])
      }
    }
    return result
  }
}

/** Names positional members: MessagePack encodes some DTOs as arrays. */
const named = (shape: object, value: unknown) =>
  Array.isArray(value) ? Object.fromEntries(Object.keys(shape).map((name, index) => [name, value[index]])) : value

/**
 * The member of a raw object that a reader uses for `name`: the exact spelling, otherwise the first in another letter
 * case.
 */
export function memberOf(holder: object, name: string): unknown {
  const key = Object.hasOwn(holder, name)
    ? name
    : Object.keys(holder).find((other) => other.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : (holder as Record<string, unknown>)[key]
}

/** Treats null like a missing member: other implementations encode omitted members as null. */
const orDefault =
  (read: Reader): Reader =>
  (value) =>
    value === null ? undefined : read(value)

/** Length to which a text or a list is cut; undefined for a schema that cuts nothing. */
const cutLength = (schema: z.core.$ZodType) => z.globalRegistry.get(schema)?.['cutTo'] as number | undefined

/** Maximum number of items, and whether a longer list is cut; Infinity without a limit in the schema. */
export function listLimit(schema: z.core.$ZodType): { maxItems: number; isCut: boolean } {
  const cutTo = cutLength(schema)
  if (cutTo !== undefined) {
    return { maxItems: cutTo, isCut: true }
  }
  const checks = (schema._zod.def.checks ?? []) as z.core.$ZodChecks[]
  const limits = checks.map(({ _zod: { def } }) => (def.check === 'max_length' ? def.maximum : Infinity))
  return { maxItems: Math.min(...limits), isCut: false }
}

/**
 * Number of items to read: the maximum, and one more for the schema to detect the excess. Checking a million items
 * would block the event loop.
 */
function itemsRead(schema: z.core.$ZodType): number {
  const { maxItems, isCut } = listLimit(schema)
  return isCut ? maxItems : maxItems + 1
}

/** Compiled readers by their options. Many routes share a schema, and a restarted server has the same routes. */
const compiled = new WeakMap<ReaderOptions, WeakMap<z.core.$ZodType, Reader>>()

const noOptions: ReaderOptions = {}

/**
 * Returns the reader for `schema`, compiled once for an options object: member names match in any letter case, and unknown
 * members, including `__proto__`, are dropped. See `docs/http.md` and `docs/hubs.md`, "Values".
 */
export function reader(schema: z.core.$ZodType, options = noOptions): Reader {
  const readers = compiled.get(options) ?? new WeakMap<z.core.$ZodType, Reader>()
  const read = readers.get(schema) ?? compile(schema, options)
  compiled.set(options, readers.set(schema, read))
  return read
}

function compile(schema: z.core.$ZodType, options: ReaderOptions): Reader {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object': {
      const read = objectReader(def.shape, options)
      return z.globalRegistry.get(schema)?.['wire'] === 'array' ? (value) => read(named(def.shape, value)) : read
    }
    case 'array': {
      const item = reader(def.element, options)
      const count = itemsRead(schema)
      return (value) => (Array.isArray(value) ? value.slice(0, count).map(item) : value)
    }
    case 'default':
      return orDefault(reader(def.innerType, options))
    case 'optional': {
      const read = reader(def.innerType, options)
      return z.safeParse(def.innerType, null).success ? read : orDefault(read)
    }
    case 'nullable':
    case 'prefault':
    case 'readonly':
    case 'catch':
    case 'nonoptional':
      return reader(def.innerType, options)
    case 'pipe':
      return reader(def.in._zod.def.type === 'transform' ? def.out : def.in, options)
    case 'number':
      return options.numbers ? readNumber : readInteger
    case 'string': {
      const cutTo = cutLength(schema)
      return cutTo === undefined
        ? (options.strings?.((def as { format?: string }).format) ?? asIs)
        : (value) => (typeof value === 'string' ? cutText(value, cutTo) : value)
    }
    default:
      return asIs
  }
}
