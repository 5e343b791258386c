import type { Entry } from '../../api/files.ts'

export const sortColumns = ['name', 'size', 'changed', 'attributes'] as const
export type SortColumn = (typeof sortColumns)[number]
export interface SortOrder {
  column: SortColumn
  isDescending: boolean
}

const byText = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Notable attributes of an entry. */
export const attributesOf = (entry: Entry): ('link' | 'hidden' | 'readOnly' | 'noAccess')[] => [
  ...(entry.isLink ? (['link'] as const) : []),
  ...(entry.isHidden ? (['hidden'] as const) : []),
  ...(entry.canRead ? (entry.canWrite ? [] : (['readOnly'] as const)) : (['noAccess'] as const)),
]

const byColumn: Record<SortColumn, (one: Entry, other: Entry) => number> = {
  name: () => 0,
  size: (one, other) => one.size - other.size,
  changed: (one, other) => Date.parse(one.lastModified) - Date.parse(other.lastModified),
  attributes: (one, other) => byText.compare(attributesOf(one).join(' '), attributesOf(other).join(' ')),
}

/** Sorts entries, folders first in either direction; ties by name. */
export function inOrder(entries: readonly Entry[], { column, isDescending }: SortOrder): Entry[] {
  const direction = isDescending ? -1 : 1
  const compare = byColumn[column]
  return entries.toSorted(
    (one, other) =>
      Number(other.isDirectory) - Number(one.isDirectory) ||
      direction * compare(one, other) ||
      (column === 'name' ? direction : 1) * byText.compare(one.name, other.name) ||
      (one.name < other.name ? -1 : 1),
  )
}
