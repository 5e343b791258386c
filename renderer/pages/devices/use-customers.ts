import { useMediaQuery } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useMemo, useRef, type DragEvent } from 'react'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { organizationQueries } from '../../api/organization-queries.ts'
import { treeOf } from '../../components/customer-tree.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { usePreference } from '../../styles/preferences.ts'
import { rowIndexOf } from './use-double-click.ts'
import type { Selection } from './use-selection.ts'

const refreshMs = 10_000
/** Minimum window width for the tree beside the list. */
const roomForTree = '(min-width: 1220px)'

/** Shows the number of dragged devices beside the pointer. */
function showCount({ dataTransfer }: DragEvent, count: number) {
  const image = document.createElement('div')
  image.className = 'drag-image'
  image.textContent = t.devices.customers.drag(count)
  document.body.append(image)
  dataTransfer.setDragImage(image, -8, -8)
  setTimeout(() => image.remove())
}

/** Handlers of rows that are dragged to a customer. */
export interface RowDrag {
  onDragStart: (event: DragEvent) => void
  onDragEnd: () => void
}

/** Customers beside the list, if the user may read any and the window has room, and the devices dragged to them. */
export function useCustomers(rows: ReadonlyMap<number, DeviceResponseDto>, { selected, hidden }: Selection) {
  const { can } = useSession()
  const hasRoom = useMediaQuery(roomForTree, true, { getInitialValueInEffect: false })
  const [isWanted, setWanted] = usePreference('devices.shows-customers', true)
  const dragged = useRef<readonly DeviceResponseDto[]>([])
  const enabled = hasRoom && can('tenant.customers.read')
  const options = { refetchInterval: refreshMs, enabled }
  const { data: customers } = useQuery({ ...organizationQueries.customers, ...options })
  const { data: details } = useQuery({ ...organizationQueries.customerDetails, ...options })
  const nodes = useMemo(() => (customers && details ? treeOf(customers, details) : []), [customers, details])
  const isOffered = enabled && nodes.length > 0
  const isShown = isOffered && isWanted
  const mayMove = can('tenant.customers.write')

  /** A selected row is dragged with the others that are selected and in the list. */
  const handleDragStart = (event: DragEvent) => {
    const device = rows.get(rowIndexOf(event) ?? -1)
    if (!device) {
      event.preventDefault()
      return
    }
    const ids = new Set(hidden.map(({ id }) => id))
    dragged.current = selected.has(device.id) ? [...selected.values()].filter(({ id }) => !ids.has(id)) : [device]
    event.dataTransfer.effectAllowed = 'move'
    event.dataTransfer.setData('text/plain', dragged.current.map(({ name }) => name).join('\n'))
    showCount(event, dragged.current.length)
  }
  const drag: RowDrag = { onDragStart: handleDragStart, onDragEnd: () => void (dragged.current = []) }
  return {
    nodes,
    isOffered,
    isShown,
    mayMove,
    dragged,
    toggle: () => setWanted(!isWanted),
    drag: isShown && mayMove ? drag : undefined,
  }
}
