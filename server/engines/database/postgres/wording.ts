import { storableText } from '../../../../shared/cut-text.ts'
import type { SqlValue } from '../connection.ts'

/*
 * Statements of the product are written once, in SQL that SQLite runs as it is. PostgreSQL gets the same statements in its
 * own wording: few words differ, and its schema has functions for the rest (`functions.ts`).
 */

const otherNames: Readonly<Record<string, string>> = {
  ifnull: 'coalesce',
  json_array: 'json_build_array',
  json_group_object: 'json_object_agg',
  lower: 'lower_text',
  rowid: 'ctid',
}

/** Strings and quoted names, which stay; words of SQLite alone; words that begin in lower case. */
const words =
  /'(?:[^']|'')*'|"[^"]*"|\bNOT INDEXED\b|\bINDEXED BY \w+|\bLIMIT -1\b|\bIS NOT (?!NULL|DISTINCT|TRUE|FALSE)|(?<![\w:$])[a-z]\w*/g

const otherWords: Readonly<Record<string, string>> = { 'LIMIT -1': 'LIMIT ALL', 'IS NOT ': 'IS DISTINCT FROM ' }

/** PostgreSQL folds names to lower case unless they are quoted; no keyword is written in mixed case. */
const quoted = (name: string) => (/[A-Z]/.test(name) ? `"${name}"` : name)

function wordOf(word: string): string {
  if (word.startsWith("'") || word.startsWith('"')) {
    return word
  }
  // Hints for the planner of SQLite.
  return /INDEXED/.test(word) ? '' : (otherWords[word] ?? otherNames[word] ?? quoted(word))
}

/** Translates a statement; placeholders stay as they are. */
export const wording = (sql: string): string => sql.replace(words, wordOf)

interface Statement {
  /** Name under which a connection keeps the prepared statement; undefined for one that is not kept. */
  name?: string
  text: string
  values: unknown[]
}

/** Placeholders, `?` or `?1`; strings and quoted names are skipped. */
const placeholders = /'(?:[^']|'')*'|"[^"]*"|\?(\d*)/g

function castOf(value: Exclude<SqlValue, null>): string {
  if (typeof value === 'number') {
    return Number.isInteger(value) ? 'bigint' : 'double precision'
  }
  return Buffer.isBuffer(value) ? 'bytea' : typeof value === 'boolean' ? 'boolean' : 'text'
}

interface Form {
  name?: string
  text: string
  /** Index of the value of each placeholder. */
  used: readonly number[]
}

/**
 * Numbers the placeholders as SQLite does: `?` follows the largest number so far. Values have the type that JavaScript gave
 * them, and NULL is written out, because PostgreSQL cannot tell the type of `? IS NULL`.
 */
function formOf(sql: string, params: readonly SqlValue[]): Form {
  let largest = 0
  const used: number[] = []
  const text = wording(sql).replace(placeholders, (found: string, digits: string | undefined) => {
    if (digits === undefined) {
      return found
    }
    const index = (digits === '' ? largest + 1 : Number(digits)) - 1
    largest = Math.max(largest, index + 1)
    const value = params[index] ?? null
    if (value === null) {
      return 'NULL'
    }
    if (!used.includes(index)) {
      used.push(index)
    }
    return `$${used.indexOf(index) + 1}::${castOf(value)}`
  })
  return { text, used }
}

/** An asterisk of these is not one of columns. */
const otherAsterisks = /'(?:[^']|'')*'|count\(\*\)/gi

/**
 * True for a statement that may read all columns. PostgreSQL rejects a prepared one for good once the server of a newer version
 * has added a column ("cached plan must not change result type"), so it is prepared anew each time; so is one that multiplies.
 */
const mayReadAllColumns = (sql: string) => sql.replace(otherAsterisks, '').includes('*')

/** Forms kept; statements are few, but lists of filters make more. */
const mostForms = 1_000
const forms = new Map<string, Form>()

const kindOf = (value: SqlValue) => (value === null ? 'NULL' : castOf(value))

/** PostgreSQL keeps no NUL. */
export const valueFor = (value: unknown): unknown => (typeof value === 'string' ? storableText(value) : value)

/** Translates a statement with `?` placeholders and its values. */
export function statementOf(sql: string, params: readonly SqlValue[]): Statement {
  const key = `${params.map(kindOf).join()} ${sql}`
  let form = forms.get(key)
  if (!form) {
    form = formOf(sql, params)
    if (forms.size < mostForms) {
      if (!mayReadAllColumns(sql)) {
        form.name = `farhand_${forms.size}`
      }
      forms.set(key, form)
    }
  }
  return {
    ...(form.name !== undefined && { name: form.name }),
    text: form.text,
    values: form.used.map((index) => valueFor(params[index])),
  }
}
