import { settingRows, type SettingRow } from './keys.ts'

export const prefix = 'Service_'

/** Normalizes names for comparison: `appoptions:knownproxies:0`. */
export const canonical = (name: string) => name.replaceAll('__', ':').toLowerCase()

const rows = new Map(settingRows.map((row) => [canonical(row.key), row]))
const groups = new Set([...rows.keys()].filter((key) => key.includes(':')).map((key) => key.slice(0, key.indexOf(':'))))

/** True if a canonical name is a group of keys, such as `appoptions`. */
export const isGroup = (name: string) => groups.has(name)

/** Splits a canonical name into its row and the index or name of an item, empty for the key itself. */
export function rowOf(name: string): { row: SettingRow; item: string } | undefined {
  const parts = name.split(':')
  for (let length = parts.length; length > 0; length -= 1) {
    const row = rows.get(parts.slice(0, length).join(':'))
    if (row) {
      return { row, item: parts.slice(length).join(':') }
    }
  }
  return undefined
}

/** Edit distance (Levenshtein), computed row by row. */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_cell, index) => index)
  for (let i = 0; i < from.length; i += 1) {
    const next = [i + 1]
    for (let j = 0; j < to.length; j += 1) {
      const substituted = (row[j] ?? 0) + (to[j] === from[i] ? 0 : 1)
      next.push(Math.min(substituted, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

const lastPart = (name: string) => name.slice(name.lastIndexOf(':') + 1)
const maxEdits = 4

/** The known key nearest to an unknown name: by the whole name, or by its last part if the group is missing. */
export function nearestKey(name: string): string | undefined {
  let best = { edits: maxEdits + 1, key: '' }
  for (const [candidate, { key }] of rows) {
    const edits = Math.min(distance(name, candidate), distance(lastPart(name), lastPart(candidate)) + 1)
    if (edits < best.edits) {
      best = { edits, key }
    }
  }
  return best.edits > maxEdits ? undefined : best.key
}
