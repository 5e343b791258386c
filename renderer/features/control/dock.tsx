import { ActionIcon, Tooltip } from '@mantine/core'
import { IconGripVertical } from '@tabler/icons-react'
import { useRef, useState, type PointerEvent, type ReactNode, type Ref } from 'react'
import * as t from '../../texts.ts'
import { isVertical, oppositeOf, type Edge } from '../viewer-kit/edges.ts'
import classes from './dock.module.css'
import type { ChangeSettings, ControlSettings } from './settings.ts'

const hideAfterMs = 1_500

interface DockProps {
  settings: ControlSettings
  onChange: ChangeSettings
  /** Whether an open panel keeps the dock open. */
  isHeld: boolean
  children: ReactNode
  ref: Ref<HTMLDivElement>
}

/** Nearest edge of the room, and the position along that edge from 0 to 1. */
function edgeAt({ clientX, clientY }: PointerEvent, room: DOMRect): { edge: Edge; along: number } {
  const across = Math.min(1, Math.max(0, (clientX - room.left) / room.width))
  const down = Math.min(1, Math.max(0, (clientY - room.top) / room.height))
  const distances: [Edge, number, number][] = [
    ['top', down, across],
    ['bottom', 1 - down, across],
    ['left', across, down],
    ['right', 1 - across, down],
  ]
  const [edge, , along] = distances.toSorted(([, a], [, b]) => a - b)[0] ?? ['top', 0, 0.5]
  return { edge, along: Math.min(0.85, Math.max(0.15, along)) }
}

/** Toolbar that can be dragged to any edge. An unpinned dock hides after a delay. */
export function Dock({ settings, onChange, isHeld, children, ref }: DockProps) {
  const { edge, along, isPinned } = settings
  const [isOut, setIsOut] = useState(true)
  const hideTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const grip = useRef<HTMLButtonElement>(null)
  const show = () => {
    clearTimeout(hideTimer.current)
    setIsOut(true)
  }
  const hideLater = () => {
    clearTimeout(hideTimer.current)
    hideTimer.current = setTimeout(() => setIsOut(false), hideAfterMs)
  }
  const move = (event: PointerEvent) => {
    const room = grip.current?.closest('[data-dock]')?.parentElement?.getBoundingClientRect()
    if (grip.current?.hasPointerCapture(event.pointerId) && room) {
      const place = edgeAt(event, room)
      if (place.edge !== edge || Math.abs(place.along - along) > 0.01) {
        onChange(place)
      }
    }
  }
  return (
    <div
      ref={ref}
      className={classes.dock}
      data-dock
      data-edge={edge}
      data-floating={!isPinned || undefined}
      style={isPinned ? undefined : { [isVertical(edge) ? 'top' : 'left']: `${along * 100}%` }}
      onPointerEnter={show}
      onPointerLeave={hideLater}
      onFocus={show}
      onBlur={hideLater}
    >
      {isPinned || isOut || isHeld ? (
        <>
          <Tooltip label={t.control.move} position={oppositeOf[edge]}>
            <ActionIcon
              ref={grip}
              className={classes.grip}
              size={28}
              aria-label={t.control.move}
              onPointerDown={(event) => grip.current?.setPointerCapture(event.pointerId)}
              onPointerMove={move}
            >
              <IconGripVertical size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
          {children}
        </>
      ) : (
        <ActionIcon variant="default" size={22} aria-label={t.control.showToolbar} onClick={show}>
          <IconGripVertical size={14} stroke={1.6} style={{ rotate: isVertical(edge) ? '0deg' : '90deg' }} />
        </ActionIcon>
      )}
    </div>
  )
}
