import { useTable, type ColumnSizingState, type ColumnVisibilityState } from '@tanstack/react-table'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { usePreference } from '../../styles/preferences.ts'
import { columns, features, hiddenAtFirst, layout } from './columns.tsx'
import type { SortColumn } from './list-url.ts'

const selectionWidth = 36
const sidePadding = 28
const leastWidth = 40

/** Ids of the chosen columns that fit: the name, the sorted column, then by priority. */
export function fittingColumns(
  chosen: readonly string[],
  sizes: Readonly<Record<string, number>>,
  width: number,
  sort: string,
) {
  let left = width - selectionWidth - sidePadding
  const fitting = new Set<string>()
  for (const id of new Set(['name', sort, ...Object.keys(layout)])) {
    const needed = sizes[id] ?? layout[id]!.minWidth
    if (chosen.includes(id) && (needed <= left || id === 'name')) {
      left -= needed
      fitting.add(id)
    }
  }
  return fitting
}

type Table = ReturnType<typeof useTable<typeof features, DeviceResponseDto>>

/** Columns of the list for a width: chosen and resized by the user, stored in this browser. */
export interface DeviceColumns {
  rows: ReturnType<Table['getRowModel']>['rows']
  visible: ReturnType<Table['getVisibleLeafColumns']>
  /** Ids of the chosen columns, those that do not fit included. */
  chosenIds: readonly string[]
  template: string
  choices: ReturnType<Table['getAllLeafColumns']>
  resize: (id: string, size: number | undefined) => void
  reset: () => void
}

export function useColumns(data: DeviceResponseDto[], width: number, sort: SortColumn): DeviceColumns {
  const [columnVisibility, setColumnVisibility] = usePreference<ColumnVisibilityState>('devices.columns', hiddenAtFirst)
  const [columnSizing, setColumnSizing] = usePreference<ColumnSizingState>('devices.column-widths', {})
  const table = useTable({
    features,
    columns,
    data,
    getRowId: ({ id }) => id,
    state: { columnVisibility, columnSizing },
    onColumnVisibilityChange: setColumnVisibility,
    onColumnSizingChange: setColumnSizing,
  })
  const chosen = table.getVisibleLeafColumns()
  const chosenIds = chosen.map(({ id }) => id)
  const fitting = fittingColumns(chosenIds, columnSizing, width, sort)
  const visible = chosen.filter(({ id }) => fitting.has(id))
  const trackOf = (id: string) => {
    const { minWidth, share } = layout[id]!
    const size = columnSizing[id]
    // The name column always takes the remaining width.
    return size !== undefined && id !== 'name' ? `${size}px` : `minmax(${size ?? minWidth}px, ${share}fr)`
  }
  return {
    rows: table.getRowModel().rows,
    visible,
    chosenIds,
    template: `${selectionWidth}px ${visible.map(({ id }) => trackOf(id)).join(' ')}`,
    choices: table.getAllLeafColumns().filter((column) => column.getCanHide()),
    resize: (id, size) =>
      setColumnSizing(({ [id]: _, ...others }) =>
        size === undefined ? others : { ...others, [id]: Math.max(leastWidth, Math.round(size)) },
      ),
    reset: () => {
      setColumnVisibility(hiddenAtFirst)
      setColumnSizing({})
    },
  }
}
