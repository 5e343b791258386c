import { useMergedRef } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type CSSProperties,
  type MouseEvent,
  type ReactNode,
} from 'react'
import { useDrawnRows } from '../../hooks/use-drawn-rows.ts'
import { useWidth } from '../../hooks/use-width.ts'
import * as t from '../../texts.ts'
import { rowHeights, useDensity } from '../../styles/preferences.ts'
import { focusListIfIdle } from '../list-focus.ts'
import type { ListData } from './list-data.ts'
import { listKeys } from './list-keys.ts'
import type { ListFrame } from './use-list-address.ts'
import type { RowId, RowSelection } from './use-row-selection.ts'
import { useSelectLoaded } from './use-select-loaded.ts'
import table from '../rows.module.css'
import classes from './virtual-list.module.css'

const headerHeight = 32
/** More rows are loaded when this many remain below. */
const loadAhead = 30
/** Below this width, in px, columns have their narrow tracks. */
const narrowWidth = 420
/** Narrow track of a column that shows a sign only; its label has no room there. */
export const signTrack = '16px'
const rowDomId = (index: number) => `row-${index}`

export interface ListColumn<Row> {
  id: string
  label: string
  /** Grid track, such as `minmax(0, 1fr)` or `120px`. */
  width: string
  /** Grid track in a list below 420 px: beside a pane, or on a phone. */
  narrow?: string
  /** Width of the list in px from which the column is shown. */
  from?: number
  cell: (row: Row) => ReactNode
}

interface VirtualListProps<Row extends { id: RowId }> {
  label: string
  data: ListData<Row>
  list: Pick<ListFrame<Row['id']>, 'openId' | 'onOpen'>
  columns: readonly ListColumn<Row>[]
  /** With a selection, rows have checkboxes. */
  selection?: RowSelection<Row> | undefined
  /** Rows drawn muted, such as disabled people. */
  isMuted?: ((row: Row) => boolean) | undefined
  /** Below the last row. */
  footer?: ReactNode
}

/** Index of the row that was clicked, unless a control in the row was. */
function clickedRow({ target }: MouseEvent) {
  const row = target instanceof Element && !target.closest('a, button, input') && target.closest('[data-index]')
  return row instanceof HTMLElement ? Number(row.dataset.index) : undefined
}

/** Cursor that stays on its row while rows appear above it; it begins at the open row. */
function useCursor<Row extends { id: RowId }>(rows: readonly Row[], openId: RowId | undefined) {
  const [cursorId, setCursorId] = useState<RowId | undefined>(openId)
  const cursor = Math.max(
    0,
    rows.findIndex(({ id }) => id === cursorId),
  )
  return [cursor, (index: number) => setCursorId(rows[index]?.id)] as const
}

/** Virtualizer of the rows, which loads more near the end and begins at the open row. */
function useVirtualRows(count: number, first: number | undefined, onEnd: (() => void) | undefined) {
  const scroller = useRef<HTMLDivElement>(null)
  const [density] = useDensity()
  const rowHeight = rowHeights[density]
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: headerHeight,
    overscan: 8,
  })
  const { items, isPrinting } = useDrawnRows(virtualizer)
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  const showFirst = useEffectEvent(() => {
    if (first !== undefined) {
      virtualizer.scrollToIndex(first)
    }
  })
  useEffect(() => showFirst(), [])

  // On paper all rows are drawn, wherever the list is scrolled to.
  const isNearEnd = !isPrinting && (items.at(-1)?.index ?? 0) >= count - loadAhead
  const reachEnd = useEffectEvent(() => onEnd?.())
  useEffect(() => {
    if (isNearEnd) {
      reachEnd()
    }
  }, [isNearEnd, count])
  const pageRows = () => Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headerHeight) / rowHeight) - 1)
  return { scroller, virtualizer, items, pageRows, isPrinting }
}

interface ListRowProps<Row extends { id: RowId }> extends Pick<
  VirtualListProps<Row>,
  'columns' | 'selection' | 'isMuted'
> {
  row: Row
  index: number
  isCursor: boolean
  isOpen: boolean
  /** Tracks of the columns, and the place of the row. */
  style: CSSProperties
}

function ListRow<Row extends { id: RowId }>(props: ListRowProps<Row>) {
  const { row, index, isCursor, columns, selection } = props
  return (
    <div
      id={rowDomId(index)}
      role="row"
      className={classes.row}
      data-index={index}
      data-cursor={isCursor || undefined}
      data-muted={props.isMuted?.(row) || undefined}
      aria-selected={props.isOpen || (selection?.selected.has(row.id) ?? false)}
      aria-rowindex={index + 2}
      style={props.style}
    >
      {selection && (
        <span role="gridcell" className={table.check}>
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t.lists.select(selection.nameOf(row))}
            checked={selection.selected.has(row.id)}
            onChange={({ nativeEvent }) =>
              selection.toggle(index, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true)
            }
          />
        </span>
      )}
      {columns.map((column) => (
        <span key={column.id} role="gridcell" className="truncate">
          {column.cell(row)}
        </span>
      ))}
    </div>
  )
}

function ListHeader<Row extends { id: RowId }>({
  columns,
  style,
  selection,
}: Pick<ListRowProps<Row>, 'columns' | 'style' | 'selection'>) {
  return (
    <div className={classes.header} role="row" aria-rowindex={1} style={style}>
      {selection && (
        <span role="columnheader" className={table.check}>
          <input
            type="checkbox"
            aria-label={t.lists.selectShown}
            checked={selection.isAll}
            onChange={selection.toggleLoaded}
          />
        </span>
      )}
      {columns.map((column) => (
        <span
          key={column.id}
          role="columnheader"
          className="truncate"
          data-sign={column.narrow === signTrack || undefined}
        >
          {column.label}
        </span>
      ))}
    </div>
  )
}

/** Says how much of the list is printed, if not all. */
export const PrintedPart = ({ count, total }: { count: number; total: number }) =>
  count < total && <p className="muted">{t.lists.printed(count, total)}</p>

/** Virtual list of rows with columns, a cursor and, if wanted, a selection. */
export function VirtualList<Row extends { id: RowId }>(props: VirtualListProps<Row>) {
  const { label, data, list, columns, selection, footer } = props
  const { rows, isStale } = data
  const { openId, onOpen } = list
  const { ref: sized, width } = useWidth()
  const [cursor, setCursor] = useCursor(rows, openId)
  const { scroller, virtualizer, items, pageRows, isPrinting } = useVirtualRows(
    rows.length,
    openId === undefined ? undefined : cursor,
    data.loadMore,
  )
  const ref = useMergedRef(scroller, sized)
  useEffect(focusListIfIdle, [])
  const selectLoaded = useSelectLoaded(!isStale, selection?.selectLoaded)

  const isNarrow = width > 0 && width < narrowWidth
  const shown = columns.filter(({ from = 0 }) => width === 0 || width >= from)
  const tracks = shown.map((column) => (isNarrow && column.narrow) || column.width)
  const grid: CSSProperties = { gridTemplateColumns: [...(selection ? ['20px'] : []), ...tracks].join(' ') }
  const moveTo = (index: number) => {
    setCursor(index)
    virtualizer.scrollToIndex(index)
  }
  const handleClick = (event: MouseEvent) => {
    const index = clickedRow(event)
    const row = index === undefined ? undefined : rows[index]
    if (index === undefined || !row) {
      return
    }
    setCursor(index)
    if (selection && (event.shiftKey || event.ctrlKey || event.metaKey)) {
      selection.toggle(index, event.shiftKey)
    } else {
      onOpen(row.id)
    }
  }
  return (
    <div
      ref={ref}
      className={classes.scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.length + 1}
      aria-multiselectable={selection ? true : undefined}
      aria-activedescendant={items.some(({ index }) => index === cursor) ? rowDomId(cursor) : undefined}
      aria-busy={isStale}
      data-stale={isStale || undefined}
      data-narrow={isNarrow || undefined}
      tabIndex={0}
      onKeyDown={listKeys({
        rows,
        isStale,
        cursor,
        openId,
        selection,
        selectLoaded,
        pageRows,
        onCursor: moveTo,
        onOpen,
      })}
      onClick={handleClick}
    >
      <ListHeader columns={shown} style={grid} selection={selection} />
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }} role="rowgroup">
        {items.map(({ index, start }) => {
          const row = rows[index]
          return (
            row && (
              <ListRow
                key={row.id}
                row={row}
                index={index}
                isCursor={index === cursor}
                isOpen={row.id === openId}
                columns={shown}
                style={{ ...grid, transform: `translateY(${start}px)` }}
                selection={selection}
                isMuted={props.isMuted}
              />
            )
          )
        })}
      </div>
      {footer}
      {isPrinting && <PrintedPart count={items.length} total={data.total ?? rows.length} />}
    </div>
  )
}
