import { z } from 'zod'

/** Rewrites a value from the wire into the spelling of a schema. */
export type Reader = (value: unknown) => unknown

const asIs: Reader = (value) => value

const readNumber: Reader = (value) =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value

/** A size beyond 2^53 is the nearest number, as in JSON. */
const readInteger: Reader = (value) => (typeof value === 'bigint' ? Number(value) : value)

/** What a reader does beyond the spelling of members. */
export interface ReaderOptions {
  /** A string that holds a number is read as one. */
  numbers?: boolean
  /** Reads what a protocol carries in place of a string of some format, such as `base64` or `datetime`. */
  strings?: (format: string | undefined) => Reader | undefined
}

function objectReader(shape: Record<string, z.core.$ZodType>, options: ReaderOptions): Reader {
  const members = new Map(
    Object.entries(shape).map(([name, schema]) => [name.toLowerCase(), { name, read: reader(schema, options) }]),
  )
  const exact = new Map([...members.values()].map((member) => [member.name, member]))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return value
    }
    const result: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) {
      const member = exact.get(key) ?? members.get(key.toLowerCase())
      // Of several spellings one counts, the same as in `memberOf`: a signature may cover it.
      if (
        member &&
        (key === member.name || !(Object.hasOwn(value, member.name) || Object.hasOwn(result, member.name)))
      ) {
        result[member.name] = member.read(item)
      }
    }
    return result
  }
}

/** The member of a raw object that a reader takes for `name`: the exact spelling, else the first in another letter case. */
export function memberOf(holder: object, name: string): unknown {
  const key = Object.hasOwn(holder, name)
    ? name
    : Object.keys(holder).find((other) => other.toLowerCase() === name.toLowerCase())
  return key === undefined ? undefined : (holder as Record<string, unknown>)[key]
}

/** Null reads as a missing member does: other implementations write it for what they leave out. */
const orDefault =
  (read: Reader): Reader =>
  (value) =>
    value === null ? undefined : read(value)

/** How many items a list may have, or is cut to; infinitely many where its schema does not say. */
export function listLimit(schema: z.core.$ZodType): { maxItems: number; isCut: boolean } {
  const { cutTo } = z.globalRegistry.get(schema) ?? {}
  if (typeof cutTo === 'number') {
    return { maxItems: cutTo, isCut: true }
  }
  const checks = (schema._zod.def.checks ?? []) as z.core.$ZodChecks[]
  const limits = checks.map(({ _zod: { def } }) => (def.check === 'max_length' ? def.maximum : Infinity))
  return { maxItems: Math.min(...limits), isCut: false }
}

/**
 * How many items are read: all that may be there, and one more, by which the schema sees that there are too many. What
 * it would cost to check a million of them, nobody has to wait for.
 */
function itemsRead(schema: z.core.$ZodType): number {
  const { maxItems, isCut } = listLimit(schema)
  return isCut ? maxItems : maxItems + 1
}

/**
 * Compiles a reader for `schema`: member names are matched without regard to case, and members that the schema does not
 * name (`__proto__` among them) are dropped. See `docs/http.md` and
 * `docs/hubs.md`, "Values".
 */
export function reader(schema: z.core.$ZodType, options: ReaderOptions = {}): Reader {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'object':
      return objectReader(def.shape, options)
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
    case 'string':
      return options.strings?.((def as { format?: string }).format) ?? asIs
    default:
      return asIs
  }
}
