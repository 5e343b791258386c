import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useEffectEvent, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from 'react'
import type { AuditEventDto } from '../../../shared/dtos/audit-event.ts'
import { focusListIfIdle } from '../../components/list-focus.ts'
import { en as t } from '../../strings/en.ts'
import { exactTime, moment } from '../../strings/format.ts'
import { visibleName } from '../../strings/visible-name.ts'
import { rowHeights, useDensity } from '../../styles/preferences.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import classes from './audit.module.css'

const headerHeight = 32
/** Older entries are loaded when this many rows remain below. */
const loadAhead = 30
const rowDomId = (index: number) => `entry-${index}`

interface AuditRowProps {
  event: AuditEventDto
  index: number
  top: number
  isCursor: boolean
  isOpen: boolean
}

const AuditRow = ({ event, index, top, isCursor, isOpen }: AuditRowProps) => {
  const then = Date.parse(event.at)
  return (
    <div
      id={rowDomId(index)}
      role="row"
      className={classes.row}
      data-index={index}
      data-cursor={isCursor || undefined}
      aria-selected={isOpen}
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${top}px)` }}
    >
      <time role="gridcell" className="tabular truncate muted" dateTime={event.at} title={exactTime(then)}>
        {moment(then)}
      </time>
      <span role="gridcell" className="truncate">
        <bdi>{visibleName(event.sentence)}</bdi>
      </span>
      <span role="gridcell" className="mono truncate muted">
        {visibleName(event.address ?? '')}
      </span>
      <span role="gridcell">
        <OutcomeMark outcome={event.outcome} />
      </span>
    </div>
  )
}

interface AuditListProps {
  events: readonly AuditEventDto[]
  isStale: boolean
  cursor: number
  openId: number | undefined
  /** Below the last row: more is loading, or why it could not be loaded. */
  footer: ReactNode
  onCursor: (index: number) => void
  onOpen: (id: number | undefined) => void
  onEnd: () => void
}

interface EntryKeysOptions extends Pick<AuditListProps, 'events' | 'cursor' | 'openId' | 'onCursor' | 'onOpen'> {
  /** Rows per Page Up and Page Down. */
  pageRows: number
  scrollToRow: (index: number) => void
}

/** Keyboard handler of the list. */
function entryKeys({ events, cursor, openId, pageRows, scrollToRow, onCursor, onOpen }: EntryKeysOptions) {
  const moveTo = (wanted: number) => {
    const index = Math.min(events.length - 1, Math.max(0, wanted))
    onCursor(index)
    scrollToRow(index)
    if (openId !== undefined) {
      onOpen(events[index]?.id)
    }
  }
  return (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.altKey || event.metaKey) {
      return
    }
    const current = events[cursor]
    const keys: Record<string, (() => void) | undefined> = {
      ArrowDown: () => moveTo(cursor + 1),
      ArrowUp: () => moveTo(cursor - 1),
      PageDown: () => moveTo(cursor + pageRows),
      PageUp: () => moveTo(cursor - pageRows),
      Home: () => moveTo(0),
      End: () => moveTo(events.length - 1),
      Enter: current && (() => onOpen(current.id)),
      ' ': current && (() => onOpen(openId === current.id ? undefined : current.id)),
    }
    const handle = keys[event.key]
    if (handle) {
      event.preventDefault()
      handle()
    }
  }
}

/** Virtual list of entries. */
export function AuditList({ events, isStale, cursor, openId, footer, onCursor, onOpen, onEnd }: AuditListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const [density] = useDensity()
  const rowHeight = rowHeights[density]
  const virtualizer = useVirtualizer({
    count: events.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    scrollPaddingStart: headerHeight,
    overscan: 8,
  })
  const items = virtualizer.getVirtualItems()
  useLayoutEffect(() => virtualizer.measure(), [virtualizer, rowHeight])
  useEffect(focusListIfIdle, [])

  const isNearEnd = (items.at(-1)?.index ?? 0) >= events.length - loadAhead
  const reachEnd = useEffectEvent(onEnd)
  useEffect(() => {
    if (isNearEnd) {
      reachEnd()
    }
  }, [isNearEnd, events.length])

  const handleKeyDown = entryKeys({
    events,
    cursor,
    openId,
    onCursor,
    onOpen,
    pageRows: Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headerHeight) / rowHeight) - 1),
    scrollToRow: (index) => virtualizer.scrollToIndex(index),
  })

  return (
    <div
      ref={scroller}
      className={classes.scroller}
      role="grid"
      aria-label={t.audit.list}
      aria-rowcount={events.length + 1}
      aria-activedescendant={events[cursor] && rowDomId(cursor)}
      aria-busy={isStale}
      data-stale={isStale || undefined}
      tabIndex={0}
      onKeyDown={handleKeyDown}
      onClick={({ target }) => {
        const index = Number(target instanceof Element && target.closest<HTMLElement>('[data-index]')?.dataset.index)
        const event = events[index]
        if (event && target instanceof Element && target.closest('[data-index]')) {
          onCursor(index)
          onOpen(event.id)
        }
      }}
    >
      <div className={classes.header} role="row" aria-rowindex={1}>
        {[t.audit.at, t.audit.event, t.audit.address, t.audit.outcome].map((label) => (
          <span key={label} role="columnheader">
            {label}
          </span>
        ))}
      </div>
      <div style={{ height: virtualizer.getTotalSize(), position: 'relative' }} role="rowgroup">
        {items.map(({ index, start }) => {
          const event = events[index]
          return (
            event && (
              <AuditRow
                key={event.id}
                event={event}
                index={index}
                top={start}
                isCursor={index === cursor}
                isOpen={event.id === openId}
              />
            )
          )
        })}
      </div>
      {footer}
    </div>
  )
}
