import type { KeyboardEvent } from 'react'
import type { RowId, RowSelection } from './use-row-selection.ts'

interface ListKeysOptions<Row extends { id: RowId }> {
  rows: readonly Row[]
  /** Whether the rows still belong to the previous filters: no key acts on them. */
  isStale: boolean
  cursor: number
  openId: RowId | undefined
  selection: RowSelection<Row> | undefined
  /** Selects the loaded rows, once they belong to the present filters. */
  selectLoaded: { select: () => void; cancel: () => void }
  /** Rows per Page Up and Page Down. */
  pageRows: () => number
  onCursor: (index: number) => void
  onOpen: (id: Row['id'] | undefined) => void
}

/** Keyboard handler of a list: arrows move, Enter opens, Space toggles the pane, X selects. */
export const listKeys =
  <Row extends { id: RowId }>(options: ListKeysOptions<Row>) =>
  (event: KeyboardEvent) => {
    const { rows, isStale, cursor, openId, selection, selectLoaded, pageRows, onCursor, onOpen } = options
    const isSelectAll = (event.ctrlKey || event.metaKey) && event.key === 'a'
    if (event.target !== event.currentTarget || event.altKey || ((event.ctrlKey || event.metaKey) && !isSelectAll)) {
      return
    }
    const row = isStale ? undefined : rows[cursor]
    const moveTo = (wanted: number) => {
      const index = Math.min(rows.length - 1, Math.max(0, wanted))
      onCursor(index)
      if (isStale) {
        return
      }
      if (event.shiftKey && selection) {
        selection.toggle(index, true)
      } else if (openId !== undefined) {
        onOpen(rows[index]?.id)
      }
    }
    if (event.key === 'Escape') {
      selectLoaded.cancel()
    }
    const keys: Record<string, (() => void) | undefined | false> = {
      ArrowDown: () => moveTo(cursor + 1),
      ArrowUp: () => moveTo(cursor - 1),
      PageDown: () => moveTo(cursor + pageRows()),
      PageUp: () => moveTo(cursor - pageRows()),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      Enter: row && (() => onOpen(row.id)),
      ' ': row && (() => onOpen(openId === row.id ? undefined : row.id)),
      x: row && selection && (() => selection.toggle(cursor, false)),
      a: selection && isSelectAll && selectLoaded.select,
      // The pane closes first, in `ListPage`.
      Escape: selection && selection.selected.size > 0 && openId === undefined && selection.clear,
    }
    const handle = keys[event.key]
    if (handle) {
      event.preventDefault()
      handle()
    }
  }
