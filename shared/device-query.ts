/**
 * Typed search of the device list, equal to its chips: `tag:web customer:"Contoso" disk:>90 is:online printer`.
 * Different terms must all match; values after commas are alternatives; `-` before a term excludes.
 */

import { fold } from './fold.ts'

export const queryFields = [
  'tag',
  'customer',
  'group',
  'system',
  'version',
  'is',
  'disk',
  'memory',
  'cpu',
  'note',
  'ip',
  'mac',
] as const
export type QueryField = (typeof queryFields)[number]

/** Values of `is:`. */
export const queryStates = ['online', 'offline', 'starred', 'outdated'] as const
export type QueryState = (typeof queryStates)[number]

/** Value of `tag:`, `customer:` and `group:` for devices without any. */
export const noneValue = 'none'

/** Values of `system:` by the number of the platform. Other values are looked for in the name of the system. */
export const systemNames: ReadonlyMap<number, string> = new Map([
  [0, 'unknown'],
  [1, 'windows'],
  [2, 'linux'],
  [3, 'macos'],
  [4, 'maccatalyst'],
  [5, 'android'],
  [6, 'ios'],
  [7, 'browser'],
])

export interface QueryTerm {
  field: QueryField
  /** Alternatives; at least one. */
  values: readonly string[]
  isExcluded: boolean
}

export interface DeviceQuery {
  /** Text outside the terms, searched in names, hosts, users and, if it looks like one, addresses. */
  text: string
  terms: readonly QueryTerm[]
}

export const maxQueryLength = 1000
export const maxQueryTerms = 20
export const maxQueryValues = 100

const isField = (name: string): name is QueryField => (queryFields as readonly string[]).includes(name)

/** Pieces of a text between separators outside of quotes. */
function split(text: string, isSeparator: (character: string) => boolean): string[] {
  const pieces: string[] = []
  let piece = ''
  let isQuoted = false
  for (const character of text) {
    if (character === '"') {
      isQuoted = !isQuoted
    }
    if (!isQuoted && isSeparator(character)) {
      pieces.push(piece)
      piece = ''
    } else {
      piece += character
    }
  }
  return [...pieces, piece].filter((one) => one !== '')
}

const isBlank = (character: string) => character.trim() === ''
const isComma = (character: string) => character === ','

function termOf(word: string): QueryTerm | undefined {
  const isExcluded = word.startsWith('-')
  const colon = word.indexOf(':')
  const field = word.slice(isExcluded ? 1 : 0, Math.max(colon, 0)).toLowerCase()
  if (!isField(field)) {
    return undefined
  }
  const values = split(word.slice(colon + 1), isComma)
    .map((value) => value.replaceAll('"', '').trim())
    .filter((value) => value !== '')
  return values.length === 0 ? undefined : { field, values, isExcluded }
}

/** Reads a typed search; words that are no term are text. */
export function parseQuery(query: string): DeviceQuery {
  const terms: QueryTerm[] = []
  const words: string[] = []
  for (const word of split(query, isBlank)) {
    const term = termOf(word)
    if (term) {
      terms.push(term)
    } else {
      words.push(word)
    }
  }
  return { text: words.join(' '), terms }
}

const quoted = (value: string) => (/[\s,"]/.test(value) ? `"${value.replaceAll('"', '')}"` : value)

const formatTerm = ({ field, values, isExcluded }: QueryTerm) =>
  `${isExcluded ? '-' : ''}${field}:${values.map(quoted).join(',')}`

/** Writes a search as a person would type it, terms first. */
export const formatQuery = ({ text, terms }: DeviceQuery): string =>
  [...terms.map(formatTerm), ...(text ? [text] : [])].join(' ')

const isSame = (a: string, b: string) => fold(a) === fold(b)

/** Whether a term that is not excluded names the value. */
export const hasValue = ({ terms }: DeviceQuery, field: QueryField, value: string): boolean =>
  terms.some((term) => term.field === field && !term.isExcluded && term.values.some((one) => isSame(one, value)))

function without(terms: readonly QueryTerm[], field: QueryField, value: string): QueryTerm[] {
  return terms.flatMap((term) => {
    if (term.field !== field || term.isExcluded) {
      return term
    }
    const values = term.values.filter((one) => !isSame(one, value))
    return values.length > 0 ? { ...term, values } : []
  })
}

/** Adds a value as a term of its own without the values that it replaces, or removes the value. */
export function toggleTerm(
  query: DeviceQuery,
  field: QueryField,
  value: string,
  replaced: readonly string[],
): DeviceQuery {
  const rest = [value, ...replaced].reduce((terms, one) => without(terms, field, one), [...query.terms])
  return hasValue(query, field, value)
    ? { ...query, terms: without(query.terms, field, value) }
    : { ...query, terms: [...rest, { field, values: [value], isExcluded: false }] }
}

/** Adds a value as an alternative of its field, or removes the value. */
export function toggleValue(query: DeviceQuery, field: QueryField, value: string): DeviceQuery {
  if (hasValue(query, field, value)) {
    return { ...query, terms: without(query.terms, field, value) }
  }
  const at = query.terms.findIndex((term) => term.field === field && !term.isExcluded)
  const terms =
    at === -1
      ? [...query.terms, { field, values: [value], isExcluded: false }]
      : query.terms.map((term, index) => (index === at ? { ...term, values: [...term.values, value] } : term))
  return { ...query, terms }
}

/** Replaces all terms of a field that are not excluded; no value removes them. */
export const setValue = (query: DeviceQuery, field: QueryField, value: string | undefined): DeviceQuery => ({
  ...query,
  terms: [
    ...query.terms.filter((term) => term.field !== field || term.isExcluded),
    ...(value === undefined ? [] : [{ field, values: [value], isExcluded: false }]),
  ],
})

export interface NumberCondition {
  operator: '>' | '>=' | '<' | '<='
  /** 0 to 1. */
  share: number
}

/** Reads `>90`, `<=50%`; a bare number means at least that much. */
export function parsePercent(value: string): NumberCondition | undefined {
  const [, operator, number] = /^(>=|<=|>|<)?(\d{1,3}(?:\.\d{1,4})?)%?$/.exec(value) ?? []
  return number === undefined
    ? undefined
    : { operator: (operator ?? '>=') as NumberCondition['operator'], share: Number(number) / 100 }
}
