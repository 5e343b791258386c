import { Tooltip } from '@mantine/core'
import { useLiveState } from '../hooks/use-live-state.ts'
import { en as t } from '../strings/en.ts'
import { moment } from '../strings/format.ts'
import classes from './shell.module.css'

/** State of the live channel: shows whether the page is current. */
export function LiveEntry({ isCollapsed }: { isCollapsed: boolean }) {
  const { state, since } = useLiveState()
  const text =
    state === 'live'
      ? t.shell.live
      : state === 'reconnecting'
        ? t.shell.reconnecting(moment(since))
        : t.shell.connecting
  const hint = state === 'reconnecting' ? t.shell.reconnectingHint : state === 'live' ? t.shell.liveHint : undefined
  return (
    <Tooltip
      label={isCollapsed ? `${text}. ${hint ?? ''}` : hint}
      disabled={!hint}
      position="right"
      multiline
      maw={280}
    >
      <div className={`${classes.entry} ${classes.live}`} data-state={state} role="status">
        <span className={classes.mark} aria-hidden />
        <span className={classes.label}>{text}</span>
      </div>
    </Tooltip>
  )
}
