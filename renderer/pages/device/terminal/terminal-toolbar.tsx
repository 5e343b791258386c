import { ActionIcon, Badge, Divider, Tooltip } from '@mantine/core'
import {
  IconArrowsMaximize,
  IconArrowsMinimize,
  IconClipboard,
  IconCopy,
  IconEraser,
  IconSearch,
  IconZoomIn,
  IconZoomOut,
  type Icon,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useLiveState } from '../../../hooks/use-live-state.ts'
import { en as t } from '../../../strings/en.ts'
import type { TerminalKind, TerminalState } from './session.ts'
import classes from './terminal.module.css'

interface TerminalToolbarProps {
  state: TerminalState
  kind: TerminalKind | undefined
  /** The tabs of the terminals. */
  strip: ReactNode
  isFullScreen: boolean
  hasSelection: boolean
  onCopy: () => void
  onPaste: () => void
  onClear: () => void
  onFind: () => void
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

export function TerminalToolbar(props: TerminalToolbarProps) {
  const { state, kind, strip, isFullScreen, hasSelection, onLeave } = props
  const isChannelLive = useLiveState().state === 'live'
  return (
    <div
      className={classes.toolbar}
      role="toolbar"
      aria-label={t.terminal.toolbar}
      // A click leaves the focus where the typing is; who came by keyboard stays until Esc.
      onMouseDown={(event) => event.preventDefault()}
      onClick={(event) => event.detail > 0 && onLeave()}
      onKeyDown={(event) => event.key === 'Escape' && onLeave()}
    >
      <span className={classes.state} data-phase={isChannelLive ? state.phase : 'lost'} role="status">
        <span className={classes.mark} aria-hidden />
        {isChannelLive ? words[state.phase] : t.terminal.reconnecting}
      </span>
      {kind === 'line' && (
        <Tooltip label={t.terminal.lineBasedHint}>
          <Badge variant="default" size="sm" tt="none">
            {t.terminal.lineBased}
          </Badge>
        </Tooltip>
      )}
      {strip}
      {isFullScreen && <span className="small muted">{t.terminal.leaveHint}</span>}
      <span className={classes.tools}>
        <Tool
          icon={IconCopy}
          label={t.terminal.copy}
          keys="Ctrl+Shift+C"
          disabled={!hasSelection}
          onClick={props.onCopy}
        />
        <Tool icon={IconClipboard} label={t.terminal.paste} keys="Ctrl+Shift+V" onClick={props.onPaste} />
        <Tool icon={IconSearch} label={t.terminal.find} keys="Ctrl+Shift+F" onClick={props.onFind} />
        <Tool icon={IconEraser} label={t.terminal.clear} onClick={props.onClear} />
        <Divider orientation="vertical" my={6} />
        <Tool icon={IconZoomOut} label={t.terminal.smaller} keys="Ctrl+−" onClick={() => props.onFontSize(-1)} />
        <Tool icon={IconZoomIn} label={t.terminal.larger} keys="Ctrl++" onClick={() => props.onFontSize(1)} />
        <Tool
          icon={isFullScreen ? IconArrowsMinimize : IconArrowsMaximize}
          label={isFullScreen ? t.terminal.leaveFullScreen : t.terminal.fullScreen}
          keys="Ctrl+Shift+Enter"
          onClick={props.onFullScreen}
        />
      </span>
    </div>
  )
}
