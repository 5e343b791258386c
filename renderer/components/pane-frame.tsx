import { useRef, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react'
import * as t from '../texts.ts'
import { usePreference } from '../styles/preferences.ts'
import classes from './pane-frame.module.css'

const firstWidth = 480
const minWidth = 320
const maxWidth = 900
const step = 16

/** Right pane with an adjustable width, by pointer or arrow keys, stored in this browser. */
export function PaneFrame({ label, children }: { label: string; children: ReactNode }) {
  const [width, setWidth] = usePreference('devices.pane-width', firstWidth)
  const start = useRef<{ x: number; width: number } | undefined>(undefined)
  const resize = (wanted: number) => setWidth(Math.min(maxWidth, Math.max(minWidth, Math.round(wanted))))

  const handlePointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId)
    start.current = { x: event.clientX, width }
  }
  const handlePointerMove = (event: PointerEvent) => {
    if (start.current) {
      resize(start.current.width + start.current.x - event.clientX)
    }
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    const change = { ArrowLeft: step, ArrowRight: -step }[event.key]
    if (change) {
      event.preventDefault()
      resize(width + change)
    }
  }
  return (
    <>
      <div
        className={classes.separator}
        role="separator"
        aria-orientation="vertical"
        aria-label={t.devices.paneWidth}
        aria-valuenow={width}
        aria-valuemin={minWidth}
        aria-valuemax={maxWidth}
        tabIndex={0}
        onPointerDown={handlePointerDown}
        onPointerMove={handlePointerMove}
        onPointerUp={() => (start.current = undefined)}
        onDoubleClick={() => setWidth(firstWidth)}
        onKeyDown={handleKeyDown}
      />
      <aside className={classes.pane} style={{ width }} aria-label={label} tabIndex={0}>
        {children}
      </aside>
    </>
  )
}
