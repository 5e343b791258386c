import { z } from 'zod'

/** A type of setting, with its JSON schema and its stored text. */
export interface SettingKind<S extends z.ZodType = z.ZodType> {
  schema: S
  /** Parses stored text; `schema` then checks the value. */
  fromText(text: string): unknown
  /** Canonical stored text of a value. */
  toText(value: z.output<S>): string
  /** Default of the type, if valid. */
  blank: z.output<S> | undefined
}

/** A setting of a table whose keys are the members of a typed object. */
export interface NamedSetting<S extends z.ZodType = z.ZodType> extends SettingKind<S> {
  name: string
  /** Value while nothing is stored; null if unset is a distinct value. */
  fallback: z.output<S> | null
  description: string
}

export type NamedSettings = Record<string, NamedSetting>

/** Declares one row of such a table. */
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

/** A number enum, stored by name. */
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

/** Schema of the typed object with all settings. */
export const typedSettings = <T extends NamedSettings>(settings: T) =>
  z.object(
    mapMembers(settings, ({ schema, fallback, description }) =>
      (fallback === null ? schema.nullable() : schema).describe(description),
    ) as TypedShape<T>,
  )

/** Schema of a request in which any member may be missing: a missing setting is reset. */
export const typedSettingsRequest = <T extends NamedSettings>(settings: T) =>
  z.object(mapMembers(settings, ({ schema, description }) => schema.nullish().describe(description)) as RequestShape<T>)
