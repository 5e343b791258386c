import { z } from 'zod'

/** GUID: 36 characters with hyphens, read in any letter case, written in lower case. */
export const id = z.guid().toLowerCase()

/** Id of the thing that an answer describes. */
export const ownId = id.describe('Set by the server; unique, and never used again.')

export const zeroId = '00000000-0000-0000-0000-000000000000'

/** Name that people give to something; blanks around it do not count. */
export const resourceName = z
  .string()
  .trim()
  .min(1, 'must not be blank')
  .max(100)
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, 'must not contain control characters')

/** What people write about something; null where they wrote nothing. */
export const resourceText = z.string().max(500).nullish()

const readFlag = (value: unknown) =>
  typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value

/** A yes or no in a query: `true` or `false` in any letter case. */
export const queryFlag = z.preprocess(readFlag, z.boolean())

const toUtc = (text: string) => {
  const instant = new Date(text)
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString()
}

/** ISO 8601 instant of the years 0 to 9999; any offset is read, UTC with `Z` is written. */
export const dateTime = z.iso
  .datetime({ offset: true })
  .overwrite(toUtc)
  .refine((text) => !/^[+-]/.test(text), 'must be in the years 0 to 9999')

export const createdAt = dateTime.describe('When the server created it.')

/** Bytes: a base64 string in JSON, `bin` in MessagePack. As items of a stream they may be given as they are. */
export const bytes: z.ZodType<string, string | Uint8Array> = z.base64().meta({ wire: 'bytes' })

/** A file as it is, outside of any JSON: a part of a form, or a whole answer. */
export const fileBytes = z.custom<Uint8Array>().meta({ type: 'string', format: 'binary' })

/** 64-bit float; in the signed bytes of a device update it stays one also when it is whole. */
export const double = z.number()

const byName = (values: Record<string, number>) =>
  new Map(Object.entries(values).map(([name, number]) => [name.toLowerCase(), number]))

/** Enum written as its number in JSON; a name in any letter case, or a string holding the number, is read too. */
export function numberEnum<const V extends Record<string, number>>(id: string, values: V) {
  const names = byName(values)
  const toNumber = (value: unknown) =>
    typeof value === 'string'
      ? (names.get(value.toLowerCase()) ?? (value.trim() === '' ? value : Number(value)))
      : value
  const description = Object.entries(values)
    .map(([name, number]) => `${number} = ${name}`)
    .join(', ')
  return z
    .preprocess(toNumber, z.literal(Object.values(values) as V[keyof V][]))
    .meta({ id, description, enumValues: values })
}

/** How a name or a number is spelt, in lower case; undefined for what is neither. */
export const spellingOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value).toLowerCase() : undefined

/** Enum written as its name; any letter case, the number, or a string holding the number is read too. */
export function nameEnum<const V extends Record<string, number>>(id: string, values: V) {
  const names = Object.keys(values) as (keyof V & string)[]
  const toName = (value: unknown) => {
    const text = spellingOf(value)
    return names.find((name) => name.toLowerCase() === text || String(values[name]) === text) ?? value
  }
  return z.preprocess(toName, z.enum(names)).meta({ id, enumValues: values })
}

/** Most ids in one list of a body. */
export const maxIds = 1000

/** Ids of things that one request names. */
export const ids = z.array(id).max(maxIds)

/**
 * Text that an agent reports: cut to `maxLength`, never refused for its length. Half a character, which the cut may
 * leave, is replaced: other platforms refuse to read one.
 */
export const cutText = (maxLength: number) => z.string().overwrite((text) => text.slice(0, maxLength).toWellFormed())

/** List that an agent reports: the first `maxLength` items, never refused for its length. The others are not read. */
export const cutList = <T extends z.ZodType>(item: T, maxLength: number) =>
  z
    .array(item)
    .overwrite((list) => list.slice(0, maxLength))
    .meta({ cutTo: maxLength })
