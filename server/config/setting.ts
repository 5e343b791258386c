import type { Kind } from './kinds.ts'

interface Details {
  /** Full key, where it does not follow from the place in the table. */
  key?: string
  /** Its value is never printed. */
  secret?: true
  /** An empty text is a value ("off") here, not an unset key. */
  emptyMeansOff?: true
  /** A value that cannot be read is left out with this warning instead of stopping the start. */
  lenient?: string
  /** What the table prints as the default when the code that uses the key chooses it. */
  shownDefault?: string
  /** Nothing uses it yet: all of it, or all items of a map but `default`. A start that gives it says so. */
  unused?: 'whole' | 'items'
  /** Replacement for an unused key that promises protection or another place for data: giving the key stops the start. */
  instead?: string
}

/** Texts that sources gave for a key and its kind accepts: the key's own under '', those of items by index or name. */
export type Texts = ReadonlyMap<string, string>

/** What the table prints about one key, how the loader treats it, and how its value is made. */
export interface Setting<V = unknown> extends Details {
  description: string
  kind: Kind<unknown>
  /** The text that is read when no source gives the key. Empty: the key is optional. */
  fallback: string
  /** Several values: `list` by index, `map` by name. */
  many?: 'list' | 'map'
  toValue(texts: Texts): V
}

function valueOf<T>(kind: Kind<T>, text: string): T {
  const value = kind.read(text)
  if (value === undefined) {
    throw new TypeError(`A value that must be ${kind.allowed} was not looked at before.`)
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

/** A key that may be undefined; `fallback` is what an unset key reads as. */
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
