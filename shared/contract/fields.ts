import { z } from 'zod'

/** An object schema with a name: a component of the OpenAPI documents. */
export const dto = <S extends z.core.$ZodLooseShape>(name: string, fields: S, more?: z.core.GlobalMeta) =>
  z.object(fields).meta({ id: name, ...more })

/** Response of a list: its items, in the order and number that `description` says. */
export const listDto = <T extends z.ZodType>(name: string, item: T, description: string) =>
  dto(name, { items: z.array(item).describe(description) })

/** GUID: 36 characters with hyphens, accepted in any letter case, encoded in lower case. */
export const id = z.guid().toLowerCase()

/** Id of the resource in a response. */
export const ownId = id.describe('Set by the server; unique, and never used again.')

export const zeroId = '00000000-0000-0000-0000-000000000000'

/** Longest display name, in characters. */
export const maxResourceName = 100

/** Display name; surrounding blanks are removed. */
export const resourceName = z
  .string()
  .trim()
  .min(1, 'must not be blank')
  .max(maxResourceName, { abort: true })
  .regex(/^[^\x00-\x1f\x7f-\x9f]*$/, 'must not contain control characters')

/** Longest description or note, in characters. */
export const maxResourceText = 500

/** Free text; null for none. */
export const resourceText = z.string().max(maxResourceText).nullish()

/** Text of a response; null for none. */
export const textOrNull = z.string().nullable()

const readFlag = (value: unknown) =>
  typeof value === 'string' && /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : value

/** A boolean in a query: `true` or `false` in any letter case. */
export const queryFlag = z.preprocess(readFlag, z.boolean())

/** Longer texts are no instants; the engine would read 1 MB of them for 20 ms. */
const longestDateTime = 100

const toUtc = (text: string) => {
  if (text.length > longestDateTime) {
    return text
  }
  const instant = new Date(text)
  return Number.isNaN(instant.getTime()) ? text : instant.toISOString()
}

/** ISO 8601 instant of the years 0 to 9999; any offset is accepted, UTC with `Z` is encoded. */
export const dateTime = z.iso
  .datetime({ offset: true })
  .overwrite(toUtc)
  .refine((text) => !/^[+-]/.test(text), 'must be in the years 0 to 9999')

const withOffset = (text: string) =>
  text.replace(/(?:\.(\d{0,7})\d*)?(Z|[+-]\d\d:\d\d)$/, (_, digits: string | undefined, offset: string) => {
    const fraction = (digits ?? '').replace(/0+$/, '')
    return (fraction && `.${fraction}`) + (offset === 'Z' ? '+00:00' : offset)
  })

/** ISO 8601 instant that hubs pass on: with its offset and up to seven digits of a second. */
export const offsetDateTime = z.iso
  .datetime({ offset: true })
  .max(longestDateTime, { abort: true })
  .overwrite(withOffset)

export const createdAt = dateTime.describe('When the server created it.')

/** Bytes: a base64 string in JSON, `bin` in MessagePack. Stream items may also be given as Uint8Array. */
export const bytes: z.ZodType<string, string | Uint8Array> = z.base64().meta({ wire: 'bytes' })

/** A raw file outside JSON: a part of a form, or a whole response. */
export const fileBytes = z.custom<Uint8Array>().meta({ type: 'string', format: 'binary' })

/** Number of things, with its description. */
export const count = (description: string) => z.number().int().min(0).describe(description)

/** 64-bit float; encoded as a float in the signed bytes of a device update, even if whole. */
export const double = z.number()

const byName = (values: Record<string, number>) =>
  new Map(Object.entries(values).map(([name, number]) => [name.toLowerCase(), number]))

/** Longer texts are no names (T26). */
const longestName = 100

/** Enum encoded as its number in JSON; accepts a name in any letter case, or the number as a string. */
export function numberEnum<const V extends Record<string, number>>(id: string, values: V) {
  const names = byName(values)
  const toNumber = (value: unknown) =>
    typeof value === 'string' && value.length <= longestName
      ? (names.get(value.toLowerCase()) ?? (value.trim() === '' ? value : Number(value)))
      : value
  const description = Object.entries(values)
    .map(([name, number]) => `${number} = ${name}`)
    .join(', ')
  return z
    .preprocess(toNumber, z.literal(Object.values(values) as V[keyof V][]))
    .meta({ id, description, enumValues: values })
}

/** A name or a number as a lower-case string; undefined for any other value. */
export const spellingOf = (value: unknown): string | undefined =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= longestName)
    ? String(value).toLowerCase()
    : undefined

/** Enum encoded as its name; accepts any letter case, and the number, also as a string. */
export function nameEnum<const V extends Record<string, number>>(id: string, values: V) {
  const names = Object.keys(values) as (keyof V & string)[]
  const toName = (value: unknown) => {
    const text = spellingOf(value)
    return text === undefined
      ? value
      : (names.find((name) => name.toLowerCase() === text || String(values[name]) === text) ?? value)
  }
  return z.preprocess(toName, z.enum(names)).meta({ id, enumValues: values })
}

/** Maximum number of ids in a list of a body. */
export const maxIds = 1000

/** Ids named in one request. */
export const ids = z.array(id).max(maxIds)

/** Text reported by an agent: its reader cuts it to `maxLength` instead of rejecting it. */
export const shortText = (maxLength: number) => z.string().meta({ cutTo: maxLength })

/** List reported by an agent: its reader reads the first `maxLength` items, and rejects no more. */
export const cutList = <T extends z.ZodType>(item: T, maxLength: number) => z.array(item).meta({ cutTo: maxLength })
