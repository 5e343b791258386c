import { useChats } from './chats.ts'
import * as t from '../../texts.ts'
import classes from '../../components/count-badge.module.css'

const most = 99

/** Number of unread answers of a device, or of all devices; nothing when zero. */
export function UnreadBadge({ deviceId }: { deviceId?: string }) {
  const unread = useChats()
    .filter((chat) => deviceId === undefined || chat.deviceId === deviceId)
    .reduce((sum, chat) => sum + chat.unread, 0)
  if (unread === 0) {
    return null
  }
  return (
    <span className={classes.badge} data-badge title={t.chat.unread(unread)}>
      <span aria-hidden>{unread > most ? `${most}+` : unread}</span>
      <span className="visually-hidden">{t.chat.unread(unread)}</span>
    </span>
  )
}
