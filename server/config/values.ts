import { settingRows, type SettingRow, type Settings } from './keys.ts'
import { canonical } from './names.ts'
import type { Problem } from './problem.ts'
import type { AllGiven, Collected, Given, Source } from './sources.ts'

/** What was given for a key: under '' for the key itself, by index or name for its items. */
function givenOf(row: SettingRow, given: AllGiven): [item: string, Given][] {
  const name = canonical(row.key)
  if (!row.many) {
    const value = given.get(name)
    return value ? [['', value]] : []
  }
  const items = [...given].flatMap(([key, value]): [string, Given][] =>
    key.startsWith(`${name}:`) ? [[key.slice(name.length + 1), value]] : [],
  )
  return row.many === 'list' ? items.toSorted(([a], [b]) => Number(a) - Number(b)) : items
}

const nameOf = (row: SettingRow, item: string) => (item === '' ? row.key : `${row.key}__${item}`)

/** A person's view of a refused value. Secrets are never quoted, nor are passwords inside an address. */
function refusal(row: SettingRow, item: string, { text, origin }: Given): Problem {
  const quoted = JSON.stringify(text.replaceAll(/\/\/[^/]*@/g, '//…@').slice(0, 80))
  const message = `must be ${row.kind.allowed}${row.secret ? '' : `, but is ${quoted}`}`
  return { key: nameOf(row, item), source: origin, message }
}

/** The value of every key. What is refused becomes a problem, or a warning where the key is lenient, and counts as not given. */
export function readSettings({ given, problems, warnings }: Collected): Settings {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const row of settingRows) {
    const texts = new Map<string, string>()
    for (const [item, value] of givenOf(row, given)) {
      // Only a key for which empty means "off" is ever given as an empty text.
      if (value.text === '' || row.kind.read(value.text) !== undefined) {
        texts.set(item, value.text)
      } else if (row.lenient) {
        warnings.push(`${value.origin} ${row.lenient}.`)
      } else {
        problems.push(refusal(row, item, value))
      }
    }
    groups[row.group] = { ...groups[row.group], [row.name]: row.toValue(texts) }
  }
  const { '': top, ...nested } = groups
  // The rows are those of the type.
  return { ...nested, ...top } as Settings
}

/** Lists given keys that cannot do what they promise. A switch that is off promises nothing. */
export function emptyPromises({ given }: Collected): Problem[] {
  const promising = settingRows.filter(({ instead }) => instead !== undefined)
  return promising.flatMap((row) =>
    givenOf(row, given)
      .filter(([, { text }]) => row.kind.read(text) !== false)
      .map(([item, { origin }]) => ({
        key: nameOf(row, item),
        source: origin,
        message: `has no effect yet: remove it. Without it, ${row.instead}`,
      })),
  )
}

/** Names of what was given of a key although nothing uses it. */
export function unusedNames(row: SettingRow, given: AllGiven): string[] {
  const isUsed = (item: string) => !row.unused || (row.unused === 'items' && item === 'default')
  return givenOf(row, given).flatMap(([item]) => (isUsed(item) ? [] : [nameOf(row, item)]))
}

/** Where the value of a key came from; of several items, where the strongest did. */
export function sourceOf(row: SettingRow, given: AllGiven): Source {
  const values = givenOf(row, given).map(([, value]) => value)
  return values.toSorted((a, b) => b.layer - a.layer)[0]?.source ?? 'default'
}
