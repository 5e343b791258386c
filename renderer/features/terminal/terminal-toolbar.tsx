import { ActionIcon, Badge, Tooltip } from '@mantine/core'
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconClipboard,
  IconCopy,
  IconLayoutColumns,
  IconLayoutRows,
  IconSearch,
  type Icon,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useLiveState } from '../../hooks/use-live-state.ts'
import { en as t } from '../../strings/en.ts'
import type { Split } from './layout.ts'
import { MoreMenu } from './more-menu.tsx'
import classes from './terminal-toolbar.module.css'
import type { PaneStatus } from './use-terminal-session.ts'

interface TerminalToolbarProps {
  /** Of the terminal that has the keyboard. */
  status: PaneStatus | undefined
  /** The tabs. */
  strip: ReactNode
  isFullScreen: boolean
  canSplit: boolean
  onCopy: () => void
  onPaste: () => void
  onClear: () => void
  onFind: () => void
  onSplit: (direction: Split['direction']) => void
  onFontSize: (change: number) => void
  onFullScreen: () => void
  /** The hands go back to the terminal. */
  onLeave: () => void
}

interface ToolProps {
  icon: Icon
  label: string
  keys?: string
  disabled?: boolean
  onClick: () => void
}

const Tool = ({ icon: Icon, label, keys, disabled, onClick }: ToolProps) => (
  <Tooltip label={keys ? `${label} (${keys})` : label}>
    <ActionIcon size={28} aria-label={label} disabled={disabled} onClick={onClick}>
      <Icon size={16} stroke={1.6} />
    </ActionIcon>
  </Tooltip>
)

const words = {
  waiting: t.terminal.offline,
  opening: t.terminal.opening,
  open: t.terminal.connected,
  lost: t.terminal.lost,
  ended: t.terminal.ended,
  failed: t.terminal.failed,
}

const opensMenu = (target: EventTarget) => target instanceof Element && target.closest('[aria-haspopup]') !== null

export function TerminalToolbar(props: TerminalToolbarProps) {
  const { status, strip, isFullScreen, canSplit, onLeave, onSplit } = props
  const phase = status?.state.phase ?? 'waiting'
  const isChannelLive = useLiveState().state === 'live'
  return (
    <div
      className={classes.toolbar}
      role="toolbar"
      aria-label={t.terminal.toolbar}
      // A click leaves the focus where the typing is; who came by keyboard stays until Esc.
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => event.detail > 0 && !opensMenu(event.target) && onLeave()}
      onKeyDown={(event) => event.key === 'Escape' && !opensMenu(event.target) && onLeave()}
    >
      <span className={classes.state} data-phase={isChannelLive ? phase : 'lost'} role="status">
        <span className={classes.mark} aria-hidden />
        <span>{isChannelLive ? words[phase] : t.terminal.reconnecting}</span>
        {status?.facts?.kind === 'line' && (
          <Tooltip label={t.terminal.lineBasedHint}>
            <Badge variant="default" size="sm" tt="none">
              {t.terminal.lineBased}
            </Badge>
          </Tooltip>
        )}
      </span>
      <span className={classes.strip}>{strip}</span>
      <span className={classes.tools}>
        {isFullScreen && <span className={`${classes.leaveHint} small muted`}>{t.terminal.leaveHint}</span>}
        <Tool
          icon={IconCopy}
          label={t.terminal.copy}
          keys="Ctrl+Shift+C"
          disabled={!status?.hasSelection}
          onClick={props.onCopy}
        />
        <Tool icon={IconClipboard} label={t.terminal.paste} keys="Ctrl+Shift+V" onClick={props.onPaste} />
        <Tool icon={IconSearch} label={t.terminal.find} keys="Ctrl+Shift+F" onClick={props.onFind} />
        <Tool
          icon={IconLayoutColumns}
          label={t.terminal.splitRow}
          keys="Alt+Shift++"
          disabled={!canSplit}
          onClick={() => onSplit('row')}
        />
        <Tool
          icon={IconLayoutRows}
          label={t.terminal.splitColumn}
          keys="Alt+Shift+−"
          disabled={!canSplit}
          onClick={() => onSplit('column')}
        />
        <Tool
          icon={isFullScreen ? IconArrowsMinimize : IconArrowsMaximize}
          label={isFullScreen ? t.terminal.leaveFullScreen : t.terminal.fullScreen}
          keys="Ctrl+Shift+Enter"
          onClick={props.onFullScreen}
        />
        <MoreMenu onClear={props.onClear} onFontSize={props.onFontSize} />
      </span>
    </div>
  )
}
