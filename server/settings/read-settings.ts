import { settingRows, type SettingRow, type Settings } from './keys.ts'
import { canonical } from './setting-names.ts'
import type { Problem } from './config-error.ts'
import type { AllGiven, Collected, Given, Source } from './sources.ts'

/** Given values of a key: under '' for the key itself, by index or name for its items. */
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

export const withoutPasswords = (text: string) => text.replaceAll(/\/\/[^/]*@/g, '//…@')

/** Given text of a key for people, its items with commas between them; undefined if no source sets the key. */
export function shownText(row: SettingRow, given: AllGiven): string | undefined {
  const items = givenOf(row, given)
  const texts = items.map(([item, { text }]) => (row.many === 'map' ? `${item}: ${text}` : text))
  return row.secret || items.length === 0 ? undefined : withoutPasswords(texts.join(', '))
}

/** Describes a rejected value. Secrets are never quoted, nor passwords inside an address. */
function refusal(row: SettingRow, item: string, { text, origin }: Given): Problem {
  const quoted = JSON.stringify(withoutPasswords(text).slice(0, 80))
  const message = `must be ${row.kind.allowed}${row.secret ? '' : `, but is ${quoted}`}`
  return { key: nameOf(row, item), source: origin, message }
}

/**
 * Reads the values of all keys. A rejected value becomes a problem, or a warning if the key is lenient, and counts as
 * unset.
 */
export function readSettings({ given, problems, warnings }: Collected): Settings {
  const groups: Record<string, Record<string, unknown>> = {}
  for (const row of settingRows) {
    const texts = new Map<string, string>()
    for (const [item, value] of givenOf(row, given)) {
      // Only a key with `emptyMeansOff` can have an empty text.
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
  // The rows match the type.
  return { ...nested, ...top } as Settings
}

/** Whether a valid text of a key that is not offered asks for something: free text, or a switch that is on. */
function asksForSomething({ kind }: SettingRow, text: string): boolean {
  const value = kind.read(text)
  return value !== undefined && (kind.type === 'string' || value !== kind.read('false'))
}

/** Lists given keys that ask for something not offered; the default value of the interface only adds a warning. */
export function emptyPromises({ given, warnings }: Collected): Problem[] {
  const problems: Problem[] = []
  for (const row of settingRows.filter(({ instead }) => instead !== undefined)) {
    for (const [item, { text, origin }] of givenOf(row, given)) {
      if (asksForSomething(row, text) && row.isInterfaceDefault) {
        warnings.push(`${origin} is not offered and has no effect: ${row.instead}.`)
      } else if (asksForSomething(row, text)) {
        const message = `is not offered: remove it. Without it, ${row.instead}`
        problems.push({ key: nameOf(row, item), source: origin, message })
      }
    }
  }
  return problems
}

/** Source of a key's value; for several items, the strongest source. */
export function sourceOf(row: SettingRow, given: AllGiven): Source {
  const values = givenOf(row, given).map(([, value]) => value)
  return values.toSorted((a, b) => b.layer - a.layer)[0]?.source ?? 'default'
}
