import { notifications } from '@mantine/notifications'
import * as t from '../../texts.ts'
import { closeChat } from './chats.ts'

/** Closes the chat window at the device, and shows the reason of a failure. */
export const endChat = (key: string): void =>
  void closeChat(key).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : ''
    notifications.show({ title: t.chat.closeFailed, message: reason.slice(0, 300), color: 'danger' })
  })
