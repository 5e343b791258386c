import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core'
import {
  IconAdjustmentsHorizontal,
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconDots,
  IconEye,
  IconGripVertical,
  IconKeyboard,
  IconKeyboardShow,
  IconPlugX,
  IconUsers,
  type Icon,
} from '@tabler/icons-react'
import { useMediaQuery } from '@mantine/hooks'
import { useRef, useState, type PointerEvent, type ReactNode, type RefObject } from 'react'
import { en as t } from '../../strings/en.ts'
import type { ControlPhase } from './control-session.ts'
import type { ChangeSettings, ControlSettings, Edge } from './settings.ts'
import classes from './toolbar.module.css'

const panelNames = ['view', 'input', 'quality', 'extras'] as const
export type PanelName = (typeof panelNames)[number]

const icons: Record<PanelName, Icon> = {
  view: IconEye,
  input: IconKeyboard,
  quality: IconAdjustmentsHorizontal,
  extras: IconDots,
}

const hideAfterMs = 1_500
const now = { getInitialValueInEffect: false }

interface ToolbarProps {
  bar: RefObject<HTMLDivElement | null>
  /** Which of its panels is open. */
  opened: PanelName | undefined
  onOpen: (panel: PanelName | undefined) => void
  phase: ControlPhase['name']
  isViewOnly: boolean
  /** Who else is at the device; empty for nobody. */
  presence: string
  settings: ControlSettings
  onChange: ChangeSettings
  isFullScreen: boolean
  onFullScreen: () => void
  /** Shown where there are fingers. */
  isKeyboardOnScreen: boolean
  onScreenKeyboard: () => void
  onEnd: () => void
  /** The hands go back to the device. */
  onLeave: () => void
  panels: Record<PanelName, ReactNode>
}

const words: Record<ControlPhase['name'], string> = {
  asking: t.control.asking,
  connecting: t.control.connecting,
  running: t.control.running,
  lost: t.control.reconnecting,
  over: t.control.over,
}

/** The nearest edge of the room, and where along it. */
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

const oppositeOf = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' } as const

/** State and tools of a session, at any edge of the room. */
export function Toolbar(props: ToolbarProps) {
  const { bar, opened, phase, isViewOnly, settings, onChange, isFullScreen, panels, onLeave } = props
  const { edge, along, isPinned } = settings
  const [isOut, setIsOut] = useState(true)
  const hideTimer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const grip = useRef<HTMLButtonElement>(null)
  const isVertical = edge === 'left' || edge === 'right'
  const hasFingers = useMediaQuery('(any-pointer: coarse)', false, now)
  const hasWords = useMediaQuery('(min-width: 480px)', true, now) && !isVertical
  const isShown = isPinned || isOut || opened !== undefined

  const keep = () => {
    clearTimeout(hideTimer.current)
    setIsOut(true)
  }
  const hideLater = () => {
    clearTimeout(hideTimer.current)
    hideTimer.current = setTimeout(() => setIsOut(false), hideAfterMs)
  }
  const open = (name: PanelName, isOpen: boolean) => {
    props.onOpen(isOpen ? name : undefined)
    if (!isOpen) {
      onLeave()
    }
  }
  const move = (event: PointerEvent) => {
    const room = bar.current?.parentElement?.getBoundingClientRect()
    if (grip.current?.hasPointerCapture(event.pointerId) && room) {
      const place = edgeAt(event, room)
      if (place.edge !== edge || Math.abs(place.along - along) > 0.01) {
        onChange(place)
      }
    }
  }
  const tipAt = oppositeOf[edge]

  return (
    <div
      ref={bar}
      className={classes.dock}
      data-edge={edge}
      data-floating={!isPinned || undefined}
      style={isPinned ? undefined : { [isVertical ? 'top' : 'left']: `${along * 100}%` }}
      onPointerEnter={keep}
      onPointerLeave={hideLater}
      onFocus={keep}
      onBlur={hideLater}
    >
      {isShown ? (
        <div
          className={classes.toolbar}
          role="toolbar"
          aria-label={t.control.toolbar}
          aria-orientation={isVertical ? 'vertical' : 'horizontal'}
          onKeyDown={(event) => event.key === 'Escape' && opened === undefined && onLeave()}
        >
          <Tooltip label={t.control.move} position={tipAt}>
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
          <span className={classes.state} data-phase={phase} role="status">
            <span className={classes.mark} aria-hidden />
            <span className={classes.word}>
              {phase === 'running' && isViewOnly ? t.control.runningViewOnly : words[phase]}
            </span>
          </span>
          {props.presence && (
            <Tooltip label={props.presence} position={tipAt}>
              <span className={classes.presence} role="status" aria-label={props.presence}>
                <IconUsers size={16} stroke={1.6} aria-hidden />
                {hasWords && <span className="truncate">{props.presence}</span>}
              </span>
            </Tooltip>
          )}
          {panelNames.map((name) => {
            const PanelIcon = icons[name]
            return (
              <Popover
                key={name}
                width={300}
                position={tipAt}
                // On low screens it lies over the toolbar rather than beyond the edge.
                middlewares={{ flip: true, shift: { crossAxis: true, padding: 8 } }}
                opened={opened === name}
                onChange={(isOpen) => open(name, isOpen)}
                trapFocus
                returnFocus={false}
                shadow="md"
              >
                <Popover.Target>
                  {hasWords ? (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      color="gray"
                      leftSection={<PanelIcon size={16} stroke={1.6} />}
                      onClick={() => open(name, opened !== name)}
                    >
                      {t.control[name]}
                    </Button>
                  ) : (
                    <Tooltip label={t.control[name]} position={tipAt}>
                      <ActionIcon size={28} aria-label={t.control[name]} onClick={() => open(name, opened !== name)}>
                        <PanelIcon size={16} stroke={1.6} />
                      </ActionIcon>
                    </Tooltip>
                  )}
                </Popover.Target>
                <Popover.Dropdown aria-label={t.control[name]}>
                  <div className={classes.panel}>{panels[name]}</div>
                </Popover.Dropdown>
              </Popover>
            )
          })}
          {hasFingers && (
            <Tooltip label={t.control.onScreenKeyboard} position={tipAt}>
              <ActionIcon
                size={28}
                aria-label={t.control.onScreenKeyboard}
                aria-pressed={props.isKeyboardOnScreen}
                disabled={isViewOnly}
                // The focus stays where the keys go: without it the keyboard leaves.
                onMouseDown={(event) => event.preventDefault()}
                onClick={props.onScreenKeyboard}
              >
                <IconKeyboardShow size={16} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          )}
          <Tooltip label={isFullScreen ? t.control.hostKey : t.control.fullScreen} position={tipAt}>
            <ActionIcon
              size={28}
              aria-label={isFullScreen ? t.control.leaveFullScreen : t.control.fullScreen}
              onClick={props.onFullScreen}
            >
              {isFullScreen ? (
                <IconArrowsMinimize size={16} stroke={1.6} />
              ) : (
                <IconArrowsMaximize size={16} stroke={1.6} />
              )}
            </ActionIcon>
          </Tooltip>
          <Tooltip label={t.control.end} position={tipAt}>
            <ActionIcon size={28} color="danger" aria-label={t.control.end} onClick={props.onEnd}>
              <IconPlugX size={16} stroke={1.6} />
            </ActionIcon>
          </Tooltip>
        </div>
      ) : (
        <ActionIcon variant="default" size={22} aria-label={t.control.showToolbar} onClick={keep}>
          <IconGripVertical size={14} stroke={1.6} style={{ rotate: isVertical ? '0deg' : '90deg' }} />
        </ActionIcon>
      )}
    </div>
  )
}
