import type { KeyboardEvent, PointerEvent } from 'react'
import * as t from '../../texts.ts'
import { dividersOf, type Divider, type Layout } from './layout.ts'
import classes from './terminal.module.css'

const keyStep = 0.05

interface DividerLineProps {
  divider: Divider
  onMove: (share: number) => void
  onDone: () => void
}

function DividerLine({ divider: { direction, share, rect }, onMove, onDone }: DividerLineProps) {
  const isRow = direction === 'row'
  const handleDrag = (event: PointerEvent<HTMLDivElement>) => {
    const room = event.currentTarget.parentElement?.getBoundingClientRect()
    if (room && event.currentTarget.hasPointerCapture(event.pointerId)) {
      const percent = isRow
        ? ((event.clientX - room.left) / room.width) * 100
        : ((event.clientY - room.top) / room.height) * 100
      onMove(isRow ? (percent - rect.left) / rect.width : (percent - rect.top) / rect.height)
    }
  }
  const handleKey = ({ key }: KeyboardEvent) => {
    const [less, more] = isRow ? ['ArrowLeft', 'ArrowRight'] : ['ArrowUp', 'ArrowDown']
    if (key === less || key === more) {
      onMove(share + (key === more ? keyStep : -keyStep))
    } else if (key === 'Escape' || key === 'Enter') {
      onDone()
    }
  }
  const place = isRow
    ? { left: `${rect.left + rect.width * share}%`, top: `${rect.top}%`, height: `${rect.height}%` }
    : { top: `${rect.top + rect.height * share}%`, left: `${rect.left}%`, width: `${rect.width}%` }
  return (
    <div
      role="separator"
      aria-orientation={isRow ? 'vertical' : 'horizontal'}
      aria-label={t.terminal.divider}
      aria-valuenow={Math.round(share * 100)}
      tabIndex={0}
      className={classes.divider}
      data-direction={direction}
      style={place}
      onPointerDown={(event) => {
        event.preventDefault()
        event.currentTarget.setPointerCapture(event.pointerId)
      }}
      onPointerMove={handleDrag}
      onPointerUp={onDone}
      onDoubleClick={() => onMove(0.5)}
      onKeyDown={handleKey}
    />
  )
}

interface DividersProps {
  layout: Layout
  onMove: (path: string, share: number) => void
  /** Called to return the focus to the terminal. */
  onDone: () => void
}

/** Dividers between the panes of a tab. They move by dragging or with the arrow keys; a double click centers them. */
export const Dividers = ({ layout, onMove, onDone }: DividersProps) =>
  dividersOf(layout).map((divider) => (
    <DividerLine key={divider.path} divider={divider} onMove={(share) => onMove(divider.path, share)} onDone={onDone} />
  ))
