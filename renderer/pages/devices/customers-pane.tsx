import { notifications } from '@mantine/notifications'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useRef, useState, type DragEvent, type KeyboardEvent } from 'react'
import {
  formatQuery,
  parseQuery,
  setValue,
  hasValue,
  noneValue,
  type DeviceQuery,
} from '../../../shared/device-query.ts'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import type { CustomerNode } from '../../components/customer-tree.ts'
import { focusList } from '../../components/list-focus.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import { usePreference } from '../../styles/preferences.ts'
import classes from './customers-pane.module.css'
import type { ChangeList, ListState } from './list-url.ts'
import { useMoveDevices } from './use-move-devices.ts'

/** Row of the tree: all devices, a customer, one of its sites, or the devices without a customer. */
interface TreeRow {
  key: string
  /** Value of `customer:` in the search; undefined: devices of all customers. */
  value: string | undefined
  customer: CustomerNode | undefined
  level: 1 | 2
  /** Undefined for a row without sites. */
  isExpanded: boolean | undefined
}

const allRow: TreeRow = { key: 'all', value: undefined, customer: undefined, level: 1, isExpanded: undefined }
const noneRow: TreeRow = { key: 'none', value: noneValue, customer: undefined, level: 1, isExpanded: undefined }

/** Visible rows; the sites of collapsed customers are left out. */
function treeRows(customers: readonly CustomerNode[], collapsed: ReadonlySet<string>): TreeRow[] {
  const parents = new Set(customers.map(({ parentId }) => parentId))
  const shown = customers.filter(({ parentId }) => parentId === null || !collapsed.has(parentId))
  const rows = shown.map((customer): TreeRow => ({
    key: customer.id,
    value: customer.name,
    customer,
    level: customer.parentId === null ? 1 : 2,
    isExpanded: parents.has(customer.id) ? !collapsed.has(customer.id) : undefined,
  }))
  return [allRow, ...rows, noneRow]
}

/** Whether a row names the customer that the search is limited to. */
const isChosen = ({ value }: TreeRow, query: DeviceQuery): boolean =>
  value === undefined
    ? !query.terms.some(({ field, isExcluded }) => field === 'customer' && !isExcluded)
    : hasValue(query, 'customer', value)

/** Position of the first chosen row. */
const chosenIndex = (rows: readonly TreeRow[], text: string) => {
  const query = parseQuery(text)
  return Math.max(
    0,
    rows.findIndex((row) => isChosen(row, query)),
  )
}

const rowHeight = 30

/** Dragged devices that do not belong to the row's customer yet. */
const taken = ({ key, customer }: TreeRow, dragged: readonly DeviceResponseDto[]) =>
  key === 'all' ? [] : dragged.filter(({ customerId }) => customerId !== (customer?.id ?? null))

interface CustomersPaneProps {
  customers: readonly CustomerNode[]
  state: ListState
  onChange: ChangeList
  /** Devices that are dragged. */
  dragged: { readonly current: readonly DeviceResponseDto[] }
  mayMove: boolean
}

/** Moves dropped devices; marks the row that the pointer is on. */
function useDrops({ dragged }: CustomersPaneProps) {
  const { move } = useMoveDevices()
  const [target, setTarget] = useState<string>()
  const moving = useMutation({
    mutationFn: ({ row, devices }: { row: TreeRow; devices: readonly DeviceResponseDto[] }) =>
      move(row.customer ?? null, devices),
    onError: (error) =>
      notifications.show({ title: t.devices.customers.moveFailed, message: problemText(error), color: 'danger' }),
  })
  const handlersOf = (row: TreeRow) => ({
    onDragOver: (event: DragEvent) => {
      if (taken(row, dragged.current).length > 0) {
        event.preventDefault()
        event.dataTransfer.dropEffect = 'move'
        setTarget(row.key)
      }
    },
    onDragLeave: () => setTarget(undefined),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setTarget(undefined)
      const devices = taken(row, dragged.current)
      if (devices.length > 0) {
        moving.mutate({ row, devices })
      }
    },
  })
  return { handlersOf, target, busyKey: moving.isPending ? moving.variables.row.key : undefined }
}

const rowId = (index: number) => `customer-row-${index}`

/** Customers with their sites: choosing one limits the list, and devices are moved by dropping them on one. */
export function CustomersPane(props: CustomersPaneProps) {
  const { customers, state, onChange, mayMove } = props
  const [closed, setClosed] = usePreference<readonly string[]>('devices.closed-customers', [])
  const rows = treeRows(customers, new Set(closed))
  const query = parseQuery(state.text)
  const [cursorKey, setCursorKey] = useState<string>()
  const known = rows.findIndex(({ key }) => key === cursorKey)
  const cursor = known === -1 ? chosenIndex(rows, state.text) : known
  const scroller = useRef<HTMLDivElement>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const { handlersOf, target, busyKey } = useDrops(props)

  const choose = ({ key, value }: TreeRow) => {
    setCursorKey(key)
    onChange(({ text }) => ({ text: formatQuery(setValue(parseQuery(text), 'customer', value)) }))
  }
  const expand = ({ key }: TreeRow, isWanted: boolean) =>
    setClosed(isWanted ? closed.filter((id) => id !== key) : [...closed, key])
  const moveTo = (index: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, index))
    setCursorKey(rows[next]?.key)
    virtualizer.scrollToIndex(next)
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    const row = rows[cursor]
    const act: (() => void) | undefined = {
      ArrowDown: () => moveTo(cursor + 1),
      ArrowUp: () => moveTo(cursor - 1),
      Home: () => moveTo(0),
      End: () => moveTo(rows.length - 1),
      ArrowRight: () => row && row.isExpanded === false && expand(row, true),
      ArrowLeft: () =>
        row?.isExpanded
          ? expand(row, false)
          : row?.level === 2 && moveTo(rows.findIndex(({ key }) => key === row.customer?.parentId)),
      Enter: () => row && choose(row),
      ' ': () => row && choose(row),
      Escape: focusList,
    }[event.key]
    if (act && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      event.stopPropagation()
      act()
    }
  }
  const nameOf = ({ key, customer }: TreeRow) => customer?.name ?? t.devices.customers[key === 'all' ? 'all' : 'none']
  return (
    <aside className={classes.pane} aria-label={t.devices.customers.title}>
      <h2 className={classes.title}>{t.devices.customers.title}</h2>
      <div
        ref={scroller}
        className={classes.tree}
        role="tree"
        aria-label={t.devices.customers.title}
        aria-activedescendant={rowId(cursor)}
        tabIndex={0}
        onKeyDown={handleKeyDown}
      >
        <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }} role="presentation">
          {virtualizer.getVirtualItems().map(({ index, start }) => {
            const row = rows[index]!
            return (
              <div
                key={row.key}
                id={rowId(index)}
                className={classes.row}
                role="treeitem"
                aria-level={row.level}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                aria-expanded={row.isExpanded}
                aria-selected={isChosen(row, query)}
                aria-busy={busyKey === row.key || undefined}
                data-cursor={index === cursor || undefined}
                data-target={target === row.key || undefined}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => choose(row)}
                {...(mayMove && handlersOf(row))}
              >
                <Twist row={row} onExpand={(isWanted) => expand(row, isWanted)} />
                <span className="truncate">{nameOf(row)}</span>
                {row.customer && (
                  <span className="small muted tabular">{row.customer.totalDevices.toLocaleString()}</span>
                )}
              </div>
            )
          })}
        </div>
      </div>
      {mayMove && <p className={`${classes.hint} small muted`}>{t.devices.customers.dropHint}</p>}
    </aside>
  )
}

/** Mark of a customer with sites; the keyboard uses the arrow keys. */
function Twist({ row: { isExpanded }, onExpand }: { row: TreeRow; onExpand: (isWanted: boolean) => void }) {
  if (isExpanded === undefined) {
    return <span className={classes.twist} />
  }
  const Sign = isExpanded ? IconChevronDown : IconChevronRight
  return (
    <span
      className={classes.twist}
      aria-hidden
      onClick={(event) => {
        event.stopPropagation()
        onExpand(!isExpanded)
      }}
    >
      <Sign size={14} />
    </span>
  )
}
