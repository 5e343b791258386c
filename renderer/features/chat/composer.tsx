import { Button, Textarea } from '@mantine/core'
import { IconSend } from '@tabler/icons-react'
import { useEffect, type KeyboardEvent, type RefObject } from 'react'
import { maxChatLength } from '../../../shared/dtos/chat.ts'
import { sendChat, setDraft, type ChatDesktop } from './chats.ts'
import * as t from '../../texts.ts'
import { useTabIsShown } from '../../hooks/use-page-device.ts'
import classes from './chat.module.css'
import { submitHandler } from '../../components/request-form.tsx'

interface ComposerProps {
  field: RefObject<HTMLTextAreaElement | null>
  desktop: ChatDesktop
  /** Unsent text; survives leaving the device page. */
  draft: string
  name: string
  /** Whether a user can receive messages now; otherwise the text stays in the field (T33). */
  canSend: boolean
}

/** Field for the next message. */
export function Composer({ field, desktop, draft, name, canSend }: ComposerProps) {
  const isShown = useTabIsShown()
  useEffect(() => {
    if (isShown) {
      field.current?.focus()
    }
  }, [isShown, field])
  const text = draft.trim()
  const over = draft.length - maxChatLength
  const isReady = canSend && text !== '' && over <= 0
  const send = () => {
    if (isReady) {
      sendChat(desktop, text)
      field.current?.focus()
    }
  }
  const handleKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) {
      event.preventDefault()
      send()
    }
  }
  return (
    <form className={classes.composer} onSubmit={submitHandler(() => send())}>
      <Textarea
        ref={field}
        aria-label={t.chat.message}
        placeholder={t.chat.placeholder(name)}
        autosize
        minRows={1}
        maxRows={6}
        value={draft}
        error={over > 0 ? t.chat.tooLong(over) : undefined}
        onChange={(event) => setDraft(desktop, event.currentTarget.value)}
        onKeyDown={handleKeyDown}
      />
      <Button type="submit" disabled={!isReady} leftSection={<IconSend size={16} stroke={1.6} />}>
        {t.chat.send}
      </Button>
      <span className={`${classes.hint} small muted`}>
        {t.chat.hint}. {t.chat.kept}
      </span>
    </form>
  )
}
