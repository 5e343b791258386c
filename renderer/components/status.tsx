import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { en as t } from '../strings/en.ts'
import { moment } from '../strings/format.ts'
import classes from './status.module.css'

type Presence = Pick<DeviceResponseDto, 'isOnline' | 'lastSeen'>

/** "Online", or since when not. */
export const statusText = ({ isOnline, lastSeen }: Presence) =>
  isOnline ? t.status.online : t.status.offlineSince(moment(Date.parse(lastSeen)))

/** A filled dot for online, a ring for offline: the shape says it without the colour. */
export const StatusDot = ({ isOnline }: { isOnline: boolean }) => (
  <span className={classes.dot} data-online={isOnline || undefined}>
    <span className="visually-hidden">{isOnline ? t.status.online : t.status.offline}</span>
  </span>
)

export const Status = (presence: Presence) => (
  <span className={classes.status} data-online={presence.isOnline || undefined}>
    <span className={classes.dot} data-online={presence.isOnline || undefined} aria-hidden />
    {statusText(presence)}
  </span>
)
