import { useRef, useState } from 'react'

export type RowId = string | number

/** Selected rows of a list. They stay selected while the list is filtered or loads more. */
export interface RowSelection<Row extends { id: RowId }> {
  selected: ReadonlyMap<RowId, Row>
  /** Label of the row's checkbox. */
  nameOf: (row: Row) => string
  rows: readonly Row[]
  /** Selected rows that the list does not show. */
  hidden: readonly Row[]
  isAll: boolean
  /** Toggles one row, or selects the range from the previous one. */
  toggle: (index: number, isRange: boolean) => void
  selectLoaded: () => void
  toggleLoaded: () => void
  dropHidden: () => void
  clear: () => void
  drop: (ids: readonly RowId[]) => void
}

export function useRowSelection<Row extends { id: RowId }>(
  rows: readonly Row[],
  nameOf: (row: Row) => string,
): RowSelection<Row> {
  const [selected, setSelected] = useState<ReadonlyMap<RowId, Row>>(new Map())
  const last = useRef<number | undefined>(undefined)
  const shown = new Set(rows.map(({ id }) => id))
  const isAll = rows.length > 0 && rows.every(({ id }) => selected.has(id))
  const keep = (kept: readonly Row[]) => setSelected(new Map(kept.map((row) => [row.id, row])))
  const hidden = [...selected.values()].filter(({ id }) => !shown.has(id))

  const toggle = (index: number, isRange: boolean) => {
    const from = isRange ? (last.current ?? index) : index
    last.current = index
    setSelected((before) => {
      const after = new Map(before)
      const row = rows[index]
      if (from === index && row && after.delete(row.id)) {
        return after
      }
      for (const each of rows.slice(Math.min(from, index), Math.max(from, index) + 1)) {
        after.set(each.id, each)
      }
      return after
    })
  }
  return {
    selected,
    nameOf,
    rows: [...selected.values()],
    hidden,
    isAll,
    toggle,
    selectLoaded: () => setSelected((before) => new Map([...before, ...rows.map((row) => [row.id, row] as const)])),
    toggleLoaded: () => (isAll ? keep(hidden) : keep([...hidden, ...rows])),
    dropHidden: () => keep([...selected.values()].filter(({ id }) => shown.has(id))),
    clear: () => setSelected(new Map()),
    drop: (ids: readonly RowId[]) => setSelected((before) => new Map([...before].filter(([id]) => !ids.includes(id)))),
  }
}
