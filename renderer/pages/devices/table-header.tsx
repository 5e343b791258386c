import { Checkbox, VisuallyHidden } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconPoint } from '@tabler/icons-react'
import type { PointerEvent } from 'react'
import * as t from '../../texts.ts'
import table from '../../components/rows.module.css'
import classes from './device-table.module.css'
import { isSortColumn, type ListState, type SortColumn } from './list-url.ts'
import type { DeviceColumns } from './use-columns.ts'

interface TableHeaderProps {
  columns: DeviceColumns
  state: ListState
  onSort: (sort: SortColumn, isDescending: boolean) => void
  selection: 'none' | 'some' | 'all'
  onSelectAll: () => void
}

/** Columns that sort in descending order first. */
const descendingFirst: readonly SortColumn[] = ['status', 'cpu', 'memory', 'disk', 'lastSeen']

export function TableHeader({ columns, state, onSort, selection, onSelectAll }: TableHeaderProps) {
  const handleResize = (columnId: string) => (event: PointerEvent<HTMLElement>) => {
    const handle = event.currentTarget
    const startX = event.clientX
    const startWidth = handle.parentElement!.getBoundingClientRect().width
    handle.setPointerCapture(event.pointerId)
    const handleMove = (move: globalThis.PointerEvent) => columns.resize(columnId, startWidth + move.clientX - startX)
    handle.addEventListener('pointermove', handleMove)
    handle.addEventListener('pointerup', () => handle.removeEventListener('pointermove', handleMove), { once: true })
  }

  return (
    <div className={classes.header} role="row" aria-rowindex={1} style={{ gridTemplateColumns: columns.template }}>
      <div className={table.check} role="columnheader">
        <Checkbox
          size="xs"
          aria-label={t.devices.selectAll}
          checked={selection === 'all'}
          indeterminate={selection === 'some'}
          onChange={onSelectAll}
        />
      </div>
      {columns.visible.map(({ id, columnDef }) => {
        const label = String(columnDef.header)
        const isSorted = state.sort === id
        const Arrow = state.isDescending ? IconArrowDown : IconArrowUp
        const words =
          id === 'status' ? <VisuallyHidden>{label}</VisuallyHidden> : <span className="truncate">{label}</span>
        return (
          <div
            key={id}
            className={classes.headerCell}
            role="columnheader"
            aria-sort={isSorted ? (state.isDescending ? 'descending' : 'ascending') : undefined}
          >
            {isSortColumn(id) ? (
              <button
                type="button"
                className={table.sort}
                title={t.devices.sortBy(label)}
                onClick={() => onSort(id, isSorted ? !state.isDescending : descendingFirst.includes(id))}
              >
                {words}
                {isSorted && <Arrow size={14} aria-hidden />}
                {!isSorted && id === 'status' && <IconPoint size={14} aria-hidden />}
              </button>
            ) : (
              <span className={table.sort}>{words}</span>
            )}
            <span
              className={classes.handle}
              title={t.devices.resize(label)}
              onPointerDown={handleResize(id)}
              onDoubleClick={() => columns.resize(id, undefined)}
            />
          </div>
        )
      })}
    </div>
  )
}
