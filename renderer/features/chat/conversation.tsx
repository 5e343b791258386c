import { endChat, forgetChat, showChat, type Chat, type ChatDesktop } from './chats.ts'
import { useSendDrop } from '../transfers/send-drop.tsx'
import { Button, Stack, Tooltip } from '@mantine/core'
import { IconMessages, IconX } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useLiveState } from '../../hooks/use-live-state.ts'
import * as t from '../../texts.ts'
import { useTabIsShown } from '../../hooks/use-page-device.ts'
import { useStayAtEnd } from '../../hooks/use-stay-at-end.ts'
import classes from './chat.module.css'
import { Composer } from './composer.tsx'
import { Line } from './line.tsx'

interface ConversationProps {
  desktop: ChatDesktop
  chat: Chat
  /** Whether the desktop no longer exists. */
  isGone: boolean
  isOnline: boolean
}

/** Marks the chat as read while it is on screen and the window has the focus. */
function useShown(key: string) {
  const isShown = useTabIsShown()
  useEffect(() => {
    if (!isShown) {
      return
    }
    let hide = () => {}
    const look = () => {
      hide()
      hide = document.hasFocus() ? showChat(key) : () => {}
    }
    look()
    window.addEventListener('focus', look)
    window.addEventListener('blur', look)
    return () => {
      window.removeEventListener('focus', look)
      window.removeEventListener('blur', look)
      hide()
    }
  }, [isShown, key])
}

interface ConversationHeadProps {
  chat: Chat
  name: string
  canClose: boolean
  /** Focuses the message field. */
  onDone: () => void
}

function ConversationHead({ chat, name, canClose, onDone }: ConversationHeadProps) {
  const close = () => {
    endChat(chat.key)
    onDone()
  }
  return (
    <header className={classes.head}>
      <Stack gap={0} component="span" flex={1} miw={0}>
        <strong className="truncate">
          <bdi>{name}</bdi>
        </strong>
        <bdi className="small muted truncate" title={chat.desktopName}>
          {chat.desktopName}
        </bdi>
      </Stack>
      {chat.lines.length > 0 && (
        <Tooltip label={t.chat.forgetHint}>
          <Button
            size="compact-sm"
            variant="subtle"
            color="gray"
            disabled={chat.sessionId !== undefined}
            onClick={() => {
              forgetChat(chat.key)
              onDone()
            }}
          >
            {t.chat.forget}
          </Button>
        </Tooltip>
      )}
      <Tooltip label={t.chat.closeHint}>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconX size={14} stroke={1.6} />}
          disabled={chat.sessionId === undefined || !canClose}
          onClick={close}
        >
          {t.chat.close}
        </Button>
      </Tooltip>
    </header>
  )
}

/** Chat with the user of one desktop, with the message field. */
export function Conversation({ desktop, chat, isGone, isOnline }: ConversationProps) {
  const isLive = useLiveState().state === 'live'
  const field = useRef<HTMLTextAreaElement>(null)
  const name = t.chat.person(chat.username)
  const canSend = isLive && isOnline && !isGone && chat.username !== ''
  useShown(chat.key)

  const drop = useSendDrop(chat.username === '' ? undefined : chat.username)
  const atEnd = useStayAtEnd(chat.lines)
  const hasLines = chat.lines.length > 0
  const problem = !isLive
    ? t.chat.away
    : isGone
      ? t.chat.gone
      : chat.username === ''
        ? t.chat.nobodySignedIn
        : undefined

  return (
    <section className={classes.conversation} aria-label={t.chat.history(name)} {...drop.handlers}>
      {drop.hint}
      <ConversationHead chat={chat} name={name} canClose={isLive && isOnline} onDone={() => field.current?.focus()} />
      {!hasLines ? (
        <div className={classes.empty}>
          <IconMessages size={32} stroke={1.3} aria-hidden />
          <h2>{t.chat.begin}</h2>
          <p className="muted">{t.chat.beginHint}</p>
        </div>
      ) : (
        <div {...atEnd} className={classes.lines} role="log" aria-label={t.chat.history(name)} tabIndex={0}>
          {chat.lines.map((line) => (
            <Line key={line.id} line={line} name={name} desktop={desktop} chatKey={chat.key} canSend={canSend} />
          ))}
        </div>
      )}
      {problem && (
        <p className={classes.problem} role="status">
          {problem}
        </p>
      )}
      <Composer key={chat.key} field={field} desktop={desktop} draft={chat.draft} name={name} canSend={canSend} />
    </section>
  )
}
