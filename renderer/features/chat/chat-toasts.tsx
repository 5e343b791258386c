import { cutText } from '../../../shared/cut-text.ts'
import { notifications } from '@mantine/notifications'
import { IconMessage } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { onChatArrival, type Chat, type ChatLine } from './chats.ts'
import * as t from '../../texts.ts'
import { deviceAddress } from '../../components/device-tabs.ts'
import classes from './chat-toasts.module.css'

const mostLength = 140
const shownMs = 12_000

const shortened = (text: string) => (text.length > mostLength ? `${cutText(text, mostLength)}…` : text)

/** Shows a toast for each answer to a chat that is not on screen, one toast per chat. */
export function ChatToasts() {
  const navigate = useNavigate()
  useEffect(() => {
    const show = ({ chat, line }: { chat: Chat; line: ChatLine }) => {
      const id = `chat ${chat.key}`
      const open = () => {
        notifications.hide(id)
        void navigate(deviceAddress(chat.deviceId, 'chat'))
      }
      const toast = {
        id,
        title: t.chat.toastTitle(chat.username, chat.deviceName),
        message: (
          <>
            <span className={classes.text}>
              {line.from === 'closed' ? t.chat.closedByPerson : shortened(line.text)}
            </span>
            <button type="button" className={classes.open} onClick={open}>
              {t.chat.openChat}
            </button>
          </>
        ),
        icon: <IconMessage size={18} stroke={1.6} aria-hidden />,
        color: 'accent',
        autoClose: shownMs,
        closeButtonProps: { 'aria-label': t.common.close },
      }
      // `show` does nothing for a toast that is open; `update` then replaces its text.
      notifications.show(toast)
      notifications.update(toast)
    }
    return onChatArrival(show)
  }, [navigate])
  return null
}
