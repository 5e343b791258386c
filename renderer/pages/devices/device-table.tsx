import { useMergedRef } from '@mantine/hooks'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, type MouseEvent } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { watchDevices } from '../../api/heartbeats.ts'
import { useIsLate } from '../../hooks/use-is-late.ts'
import { useIsPrinting } from '../../hooks/use-is-printing.ts'
import { useWidth } from '../../hooks/use-width.ts'
import * as t from '../../texts.ts'
import { rowHeights, useDensity } from '../../styles/preferences.ts'
import { DeviceRow, rowDomId } from './device-row.tsx'
import classes from './device-table.module.css'
import { focusListIfIdle } from '../../components/list-focus.ts'
import { useListActions } from './list-actions.ts'
import type { ListState, SortColumn } from './list-url.ts'
import { RowMenu } from './row-menu.tsx'
import { TableHeader } from './table-header.tsx'
import type { DeviceColumns } from './use-columns.ts'
import { pagesAround, type PageRange } from './use-device-list.ts'
import { rowIndexOf } from './use-double-click.ts'
import { useListKeys } from './use-list-keys.ts'
import { useScrollMemory } from './use-scroll-memory.ts'
import type { RowDrag } from './use-customers.ts'
import type { Selection } from './use-selection.ts'

const headerHeight = 32
const settleMs = 60

/** Reports the visible pages once scrolling has stopped, so that skipped pages are not loaded. */
function usePagesOnScreen(firstRow: number, lastRow: number, onRange: (range: PageRange) => void) {
  const { first, last } = pagesAround(firstRow, lastRow)
  useEffect(() => {
    const timer = setTimeout(() => onRange({ first, last }), settleMs)
    return () => clearTimeout(timer)
  }, [first, last, onRange])
}

interface DeviceTableProps {
  columns: DeviceColumns
  list: { rows: ReadonlyMap<number, DeviceResponseDto>; total: number; isStale: boolean }
  state: ListState
  selection: Selection
  /** Cursor, and handlers of the width and of the pages on the screen. */
  view: {
    cursor: number
    onCursor: (index: number) => void
    onWidth: (width: number) => void
    onRange: (range: PageRange) => void
  }
  /** Handlers for rows that are dragged, if there is a place to drop them. */
  drag: RowDrag | undefined
  onSort: (sort: SortColumn, isDescending: boolean) => void
}

/** Pointer handlers of the rows. */
function useTablePointer({ list: { rows }, selection, view: { cursor, onCursor } }: DeviceTableProps) {
  const actions = useListActions()
  const handleClick = (event: MouseEvent) => {
    const index = rowIndexOf(event)
    const device = index === undefined ? undefined : rows.get(index)
    if (index === undefined || !device || (event.target instanceof Element && event.target.closest('input'))) {
      return
    }
    onCursor(index)
    if (event.ctrlKey || event.metaKey || event.shiftKey) {
      selection.toggle(device, index, event.shiftKey)
    } else {
      actions.showDetails(device.id)
    }
  }
  const handleContextMenu = (event: MouseEvent) => onCursor(rowIndexOf(event) ?? cursor)
  return { onClick: handleClick, onContextMenu: handleContextMenu }
}

/** All loaded rows, for paper, on which rows follow each other without a place. */
const loadedRows = (rows: DeviceTableProps['list']['rows']) => [...rows.keys()].map((index) => ({ index, start: 0 }))

/** Says how much of the list is printed, if not all. */
const PrintedPart = ({ rows, total }: DeviceTableProps['list']) =>
  rows.size < total && <p className="muted">{t.devices.printed(rows.size, total)}</p>

/** Virtual list of devices with keyboard and pointer input, and live updates for visible rows. */
export function DeviceTable(props: DeviceTableProps) {
  const { columns, list, state, selection, view, onSort } = props
  const { rows, total, isStale } = list
  const { cursor, onCursor, onWidth, onRange } = view
  const actions = useListActions()
  const isPrinting = useIsPrinting()
  const [density] = useDensity()
  const rowHeight = rowHeights[density]
  const scroller = useRef<HTMLDivElement>(null)
  const { ref: sizeRef, width } = useWidth()
  const mergedRef = useMergedRef(scroller, sizeRef)

  const virtualizer = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: headerHeight,
    overscan: 8,
  })
  const items = virtualizer.getVirtualItems()
  const first = items[0]?.index ?? 0
  const last = items.at(-1)?.index ?? 0

  // Focuses the list when it appears, and when the focused field or button is removed.
  const hasSelection = selection.selected.size > 0
  useEffect(focusListIfIdle, [actions.renamedId, hasSelection])

  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  useLayoutEffect(() => onWidth(width), [onWidth, width])
  usePagesOnScreen(first, last, onRange)
  useScrollMemory({ scroller, rows, first, rowHeight, onShift: (shift) => onCursor(cursor + shift) })

  const watched = items.flatMap(({ index }) => rows.get(index)?.id ?? []).join(' ')
  useEffect(() => watchDevices(watched ? watched.split(' ') : []), [watched])

  const isLate = useIsLate(items.some(({ index }) => !rows.has(index)))
  const rowOf = useMemo(() => new Map(columns.rows.map((row) => [row.id, row])), [columns.rows])
  const columnIds = columns.visible.map(({ id }) => id).join(' ')
  const pageRows = Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headerHeight) / rowHeight) - 1)
  const handleKeyDown = useListKeys({
    ...list,
    ...view,
    state,
    selection,
    pageRows,
    scrollToRow: (index) => virtualizer.scrollToIndex(index),
  })

  const pointer = useTablePointer(props)

  return (
    <RowMenu device={rows.get(cursor)}>
      <div
        ref={mergedRef}
        className={`${classes.scroller} ${isStale ? classes.stale : ''}`}
        role="grid"
        aria-label={t.devices.list}
        aria-rowcount={total + 1}
        aria-multiselectable
        aria-activedescendant={items.some(({ index }) => index === cursor) ? rowDomId(cursor) : undefined}
        aria-busy={isStale}
        tabIndex={0}
        onKeyDown={handleKeyDown}
        {...pointer}
        {...props.drag}
      >
        <TableHeader
          columns={columns}
          state={state}
          onSort={onSort}
          selection={selection.share}
          onSelectAll={selection.toggleLoaded}
        />
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }} role="rowgroup">
          {(isPrinting ? loadedRows(rows) : items).map(({ index, start }) => {
            const device = rows.get(index)
            return (
              <DeviceRow
                key={device?.id ?? index}
                row={device && rowOf.get(device.id)}
                device={device}
                index={index}
                top={start}
                list={{ template: columns.template, columnIds, isLate, isDraggable: props.drag !== undefined }}
                marks={{
                  isCursor: index === cursor,
                  isSelected: device !== undefined && selection.selected.has(device.id),
                  isOpen: device !== undefined && device.id === state.deviceId,
                  isRenaming: device !== undefined && device.id === actions.renamedId,
                }}
                onToggle={selection.toggle}
              />
            )
          })}
        </div>
        {isPrinting && <PrintedPart {...list} />}
      </div>
    </RowMenu>
  )
}
