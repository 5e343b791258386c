import { ActionIcon, Button, Popover, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import type { Icon } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { ActionButton } from '../../components/action-button.tsx'
import type { Action } from '../../components/actions.ts'
import { isVertical, oppositeOf, type Edge } from './edges.ts'
import type { SessionState } from './session-state.ts'
import classes from './viewer-toolbar.module.css'

/** Panel that opens from a button of the toolbar. */
export interface ToolbarPanel {
  name: string
  label: string
  icon: Icon
  content: ReactNode
}

interface ToolbarPanels {
  list: readonly ToolbarPanel[]
  /** Name of the open panel. */
  opened: string | undefined
  onOpen: (name: string | undefined) => void
}

interface ToolbarTools<Context> {
  actions: readonly Action<Context>[]
  context: Context
  panels?: ToolbarPanels
  /** Shown after the buttons. */
  menu?: ReactNode
}

interface ViewerToolbarProps<Context> {
  label: string
  session: SessionState<unknown>
  stateText: string
  tools: ToolbarTools<Context>
  edge?: Edge
  /** Returns the focus to the session. */
  onLeave: () => void
  /** Shown between the state and the buttons. */
  children?: ReactNode
}

const opensMenu = (target: EventTarget) => target instanceof Element && target.closest('[aria-haspopup]') !== null

function PanelButton({ panel, panels, edge }: { panel: ToolbarPanel; panels: ToolbarPanels; edge: Edge }) {
  const { name, label, icon: PanelIcon, content } = panel
  const hasRoom = useMediaQuery('(min-width: 480px)', true, { getInitialValueInEffect: false }) && !isVertical(edge)
  const toggle = () => panels.onOpen(panels.opened === name ? undefined : name)
  const icon = <PanelIcon size={16} stroke={1.6} />
  return (
    <Popover
      width={300}
      position={oppositeOf[edge]}
      // On a low screen the panel may cover the toolbar, so that it stays on the screen.
      middlewares={{ flip: true, shift: { crossAxis: true, padding: 8 } }}
      opened={panels.opened === name}
      onChange={(isOpen) => panels.onOpen(isOpen ? name : undefined)}
      trapFocus
      returnFocus={false}
      shadow="md"
    >
      <Popover.Target>
        {hasRoom ? (
          <Button size="compact-sm" variant="subtle" color="gray" leftSection={icon} onClick={toggle}>
            {label}
          </Button>
        ) : (
          <Tooltip label={label} position={oppositeOf[edge]}>
            <ActionIcon size={28} aria-label={label} onClick={toggle}>
              {icon}
            </ActionIcon>
          </Tooltip>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <div className={classes.panel}>{content}</div>
      </Popover.Dropdown>
    </Popover>
  )
}

/** Toolbar with state and actions, for remote control, VNC and terminals. */
export function ViewerToolbar<Context>(props: ViewerToolbarProps<Context>) {
  const { label, session, stateText, edge = 'top', onLeave, children } = props
  const { actions, context, panels, menu } = props.tools
  const isInMenu = (target: EventTarget) => panels?.opened !== undefined || opensMenu(target)
  return (
    <div
      className={classes.toolbar}
      role="toolbar"
      aria-label={label}
      aria-orientation={isVertical(edge) ? 'vertical' : 'horizontal'}
      data-edge={edge}
      // Clicks keep the focus in the session; keyboard focus stays in the toolbar until Esc.
      onMouseDown={(event) => event.currentTarget.contains(event.target as Node) && event.preventDefault()}
      onClick={(event) =>
        event.currentTarget.contains(event.target as Node) && event.detail > 0 && !isInMenu(event.target) && onLeave()
      }
      onKeyDown={(event) => event.key === 'Escape' && !isInMenu(event.target) && onLeave()}
    >
      <span
        className={classes.state}
        data-phase={session.phase}
        data-failed={(session.phase === 'ended' && session.cause === 'failure') || undefined}
        role="status"
        title={stateText}
      >
        <span className={classes.mark} aria-hidden />
        <span className={classes.word}>{stateText}</span>
      </span>
      {children && <span className={classes.middle}>{children}</span>}
      <span className={classes.tools}>
        {panels?.list.map((panel) => (
          <PanelButton key={panel.name} panel={panel} panels={panels} edge={edge} />
        ))}
        {actions
          .filter(({ icon, isOffered }) => icon && (isOffered?.(context) ?? true))
          .map((action) => (
            <ActionButton key={action.name} action={action} context={context} tooltipPosition={oppositeOf[edge]} />
          ))}
        {menu}
      </span>
    </div>
  )
}

/** Moves the focus to the first usable button of the toolbar in `frame`. */
export const focusToolbar = (frame: HTMLElement | null) =>
  frame?.querySelector<HTMLElement>('[role="toolbar"] button:not([aria-disabled="true"])')?.focus()
