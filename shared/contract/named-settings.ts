import { z } from 'zod'

/** A kind of value that is kept as text: how it looks in JSON, and how as text. */
export interface SettingKind<S extends z.ZodType = z.ZodType> {
  schema: S
  /** A text as the value that `schema` then checks. */
  fromText(text: string): unknown
  /** The one spelling that is stored. */
  toText(value: z.output<S>): string
  /** The type's own default, where it is a legal value. */
  blank: z.output<S> | undefined
}

/** One setting of a table whose keys are the members of a typed object. */
export interface NamedSetting<S extends z.ZodType = z.ZodType> extends SettingKind<S> {
  name: string
  /** Value while nothing is stored; null where that is told apart. */
  fallback: z.output<S> | null
  description: string
}

export type NamedSettings = Record<string, NamedSetting>

/** One row of such a table. */
export const setting = <S extends z.ZodType, F extends z.output<S> | null>(
  name: string,
  kind: SettingKind<S>,
  fallback: F,
  description: string,
): NamedSetting<S> & { fallback: F } => ({ name, ...kind, fallback, description })

const texts: Record<string, boolean> = { true: true, false: false }

export const flag: SettingKind<z.ZodBoolean> = {
  schema: z.boolean(),
  fromText: (text) => (Object.hasOwn(texts, text.toLowerCase()) ? texts[text.toLowerCase()] : text),
  toText: (value) => (value ? 'True' : 'False'),
  blank: false,
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

export const numeric = (schema: z.ZodNumber): SettingKind<z.ZodNumber> => ({
  schema,
  fromText: (text) => (decimal.test(text) ? Number(text) : text),
  toText: String,
  blank: schema.safeParse(0).data,
})

/** Of one of our number enums: in the text it is a name. */
export const choice = <S extends z.ZodType<number>>(schema: S, values: Record<string, number>): SettingKind<S> => ({
  schema,
  fromText: (text) => text,
  toText: (value) => Object.keys(values).find((name) => values[name] === value)!,
  blank: schema.safeParse(0).data,
})

export const plainText = (schema: z.ZodString): SettingKind<z.ZodString> => ({
  schema,
  fromText: (text) => text,
  toText: (value) => value,
  blank: '',
})

type TypedShape<T extends NamedSettings> = {
  [K in keyof T]: T[K]['fallback'] extends null ? z.ZodNullable<T[K]['schema']> : T[K]['schema']
}
type RequestShape<T extends NamedSettings> = { [K in keyof T]: z.ZodOptional<z.ZodNullable<T[K]['schema']>> }

const mapMembers = (settings: NamedSettings, map: (setting: NamedSetting) => z.ZodType) =>
  Object.fromEntries(Object.entries(settings).map(([member, row]) => [member, map(row)]))

/** Schema of the typed object that holds every setting. */
export const typedSettings = <T extends NamedSettings>(settings: T) =>
  z.object(
    mapMembers(settings, ({ schema, fallback, description }) =>
      (fallback === null ? schema.nullable() : schema).describe(description),
    ) as TypedShape<T>,
  )

/** The same where any member may be missing: it is reset. */
export const typedSettingsRequest = <T extends NamedSettings>(settings: T) =>
  z.object(mapMembers(settings, ({ schema, description }) => schema.nullish().describe(description)) as RequestShape<T>)
