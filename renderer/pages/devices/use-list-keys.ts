import { useQuery } from '@tanstack/react-query'
import type { KeyboardEvent } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { useSelectLoaded } from '../../components/list-kit/use-select-loaded.ts'
import { useStarring } from './star-button.tsx'
import { useSession } from '../../hooks/use-session.ts'
import { rowDomId } from './device-row.tsx'
import { useListActions } from './list-actions.ts'
import type { ListState } from './list-url.ts'
import type { Selection } from './use-selection.ts'

interface ListKeysOptions {
  rows: ReadonlyMap<number, DeviceResponseDto>
  total: number
  /** Whether the rows still belong to the previous search: no key acts on them. */
  isStale: boolean
  state: ListState
  selection: Selection
  cursor: number
  onCursor: (index: number) => void
  /** Rows per Page Up and Page Down. */
  pageRows: number
  scrollToRow: (index: number) => void
}

/** Opens the menu of a row at the row instead of the pointer. */
function openMenuAt(index: number) {
  const row = document.getElementById(rowDomId(index))
  const box = row?.getBoundingClientRect()
  const at = box && { clientX: box.left + 72, clientY: box.bottom - 8 }
  row?.dispatchEvent(new MouseEvent('contextmenu', { bubbles: true, cancelable: true, ...at }))
}

/** Keyboard handler of the list. */
export function useListKeys({
  rows,
  total,
  isStale,
  state,
  selection,
  cursor,
  onCursor,
  pageRows,
  scrollToRow,
}: ListKeysOptions) {
  const actions = useListActions()
  const { can } = useSession()
  const stars = useQuery(organizationQueries.deviceStars).data
  const { mutate: star } = useStarring()
  const selectLoaded = useSelectLoaded(!isStale && (rows.size > 0 || total === 0), selection.selectLoaded)

  return (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) {
      return
    }
    const device = isStale ? undefined : rows.get(cursor)
    const moveTo = (index: number) => {
      const next = Math.min(total - 1, Math.max(0, index))
      onCursor(next)
      scrollToRow(next)
      const reached = isStale ? undefined : rows.get(next)
      if (event.shiftKey && reached) {
        selection.toggle(reached, next, true)
      } else if (state.deviceId && reached) {
        actions.showDetails(reached.id)
      }
    }
    if (event.key === 'Escape') {
      selectLoaded.cancel()
    }
    const keys: Record<string, (() => void) | undefined | false> = {
      ArrowDown: () => moveTo(cursor + 1),
      ArrowUp: () => moveTo(cursor - 1),
      PageDown: () => moveTo(cursor + pageRows),
      PageUp: () => moveTo(cursor - pageRows),
      Home: () => moveTo(0),
      End: () => moveTo(total - 1),
      Enter: device && (() => actions.open(device.id)),
      ' ': device && (() => actions.showDetails(state.deviceId === device.id ? undefined : device.id)),
      c:
        !event.ctrlKey &&
        !event.metaKey &&
        device &&
        can('device.remote-control.connect') &&
        (() => actions.open(device.id, 'control')),
      x: device && (() => selection.toggle(device, cursor, false)),
      a: (event.ctrlKey || event.metaKey) && selectLoaded.select,
      '*': device && (() => star({ deviceId: device.id, isOn: !stars?.has(device.id) })),
      F2: device && can('device.alias.write') && (() => actions.rename(device.id)),
      F10: device && event.shiftKey && (() => openMenuAt(cursor)),
      ContextMenu: device && (() => openMenuAt(cursor)),
      Delete:
        can('device.delete') &&
        (() => actions.remove(selection.selected.size > 0 ? [...selection.selected.values()] : device ? [device] : [])),
      Escape: state.deviceId
        ? () => actions.showDetails(undefined)
        : selection.selected.size > 0
          ? selection.clear
          : undefined,
    }
    const handle = keys[event.key]
    if (handle) {
      event.preventDefault()
      handle()
    }
  }
}
