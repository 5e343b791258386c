import type { Kind } from './kinds.ts'

interface Details {
  /** Full key, if it does not follow from the place in the table. */
  key?: string
  /** Secret value, never printed. */
  secret?: true
  /** An empty text is a value ("off"), not an unset key. */
  emptyMeansOff?: true
  /** An invalid value is ignored with this warning instead of stopping the start. */
  lenient?: string
  /** Default shown in the table, if the code that uses the key chooses it. */
  shownDefault?: string
  /** Replacement of a key that this server does not offer: such a key stops the start. */
  instead?: string
  /** The interface's default value asks for something that is not offered: that value is accepted with a warning. */
  isInterfaceDefault?: true
}

/** Valid texts of a key: its value under '', its items by index or name. */
export type Texts = ReadonlyMap<string, string>

/** Description of one key for the table, with its parsing and defaults. */
export interface Setting<V = unknown> extends Details {
  description: string
  kind: Kind<unknown>
  /** Text parsed if no source sets the key. Empty: the key is optional. */
  fallback: string
  /** Multiple values: `list` by index, `map` by name. */
  many?: 'list' | 'map'
  toValue(texts: Texts): V
}

function valueOf<T>(kind: Kind<T>, text: string): T {
  const value = kind.read(text)
  if (value === undefined) {
    throw new TypeError(`A value that must be ${kind.allowed} was not checked before.`)
  }
  return value
}

const setting = <V>(row: Setting<V>): Setting<V> => row

/** A key that always has a value. */
export const required = <T>(kind: Kind<T>, fallback: string, description: string, details: Details = {}) =>
  setting({
    ...details,
    kind,
    fallback,
    description,
    toValue: (texts) => valueOf(kind, texts.get('') ?? fallback),
  })

/** A key that may be undefined; `fallback` is parsed for an unset key. */
export const optional = <T>(kind: Kind<T>, description: string, details: Details & { fallback?: string } = {}) => {
  const { fallback = '' } = details
  const textIn = (texts: Texts) => texts.get('') ?? fallback
  return setting({
    ...details,
    kind,
    fallback,
    description,
    toValue: (texts) => (textIn(texts) === '' ? undefined : valueOf(kind, textIn(texts))),
  })
}

/** A key with items by index: `Key__0`, `Key__1` … */
export const list = <T>(kind: Kind<T>, description: string) =>
  setting({
    kind,
    fallback: '',
    description,
    many: 'list',
    shownDefault: '[]',
    toValue: (texts) => [...texts.values()].map((text) => valueOf(kind, text)),
  })

/** A key with items by name: `Key__<name>`, names in lower case. The item `default` always has a value. */
export const map = <T>(kind: Kind<T>, fallback: string, description: string, details: Details = {}) =>
  setting({
    ...details,
    kind,
    fallback,
    description,
    many: 'map',
    shownDefault: `Default: ${fallback}`,
    toValue: (texts) => ({
      ...Object.fromEntries([...texts].map(([name, text]) => [name, valueOf(kind, text)])),
      default: valueOf(kind, texts.get('default') ?? fallback),
    }),
  })
