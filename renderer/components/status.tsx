import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { useIsAway, useLiveState } from '../hooks/use-live-state.ts'
import * as t from '../texts.ts'
import { moment } from '../text/format.ts'
import classes from './status.module.css'

type Presence = Pick<DeviceResponseDto, 'isOnline' | 'lastSeen'>

/** "Online", or "Offline since …". */
export const statusText = ({ isOnline, lastSeen }: Presence) =>
  isOnline ? t.status.online : t.status.offlineSince(moment(Date.parse(lastSeen)))

/** Filled dot for online, ring for offline: readable without color. */
export function StatusDot({ isOnline }: { isOnline: boolean }) {
  const isAway = useIsAway()
  const word = isOnline ? (isAway ? t.status.wasOnline : t.status.online) : t.status.offline
  return (
    <span className={classes.dot} data-online={isOnline || undefined} data-old={isAway || undefined} title={word}>
      <span className="visually-hidden">{word}</span>
    </span>
  )
}

/** State as text; without a connection to the server, when the device was last known to be online. */
export function Status(presence: Presence) {
  const { since } = useLiveState()
  const isAway = useIsAway()
  return (
    <span className={classes.status} data-online={presence.isOnline || undefined} data-old={isAway || undefined}>
      <span
        className={classes.dot}
        data-online={presence.isOnline || undefined}
        data-old={isAway || undefined}
        aria-hidden
      />
      {isAway && presence.isOnline ? t.status.wasOnlineAt(moment(since)) : statusText(presence)}
    </span>
  )
}
