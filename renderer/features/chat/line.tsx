import { Button } from '@mantine/core'
import { dropLine, sendAgain, type ChatDesktop, type ChatLine } from './chats.ts'
import * as t from '../../texts.ts'
import { exactTime, moment } from '../../text/format.ts'
import classes from './chat.module.css'

const notes = { closed: t.chat.closedByPerson, over: t.chat.over, missed: t.chat.missed }

const fate = ({ state, problem }: ChatLine) =>
  state === 'sending'
    ? t.chat.sending
    : state === 'sent'
      ? t.chat.sent
      : state === 'unknown'
        ? t.chat.unknown
        : problem
          ? t.chat.failed(problem.slice(0, 300))
          : t.chat.failedWithout

interface LineProps {
  line: ChatLine
  name: string
  desktop: ChatDesktop
  chatKey: string
  canSend: boolean
}

/** Chat message as plain text: links in it are not clickable (T18). */
export function Line({ line, name, desktop, chatKey, canSend }: LineProps) {
  if (line.from !== 'me' && line.from !== 'person') {
    return <p className={classes.note}>{notes[line.from]}</p>
  }
  const isLost = line.state === 'failed' || line.state === 'unknown'
  return (
    <div className={classes.line} data-mine={line.from === 'me' || undefined} data-lost={isLost || undefined}>
      <span className={classes.meta}>
        <bdi>{line.from === 'me' ? t.chat.me : name}</bdi>
        <time dateTime={new Date(line.at).toISOString()} title={exactTime(line.at)}>
          {moment(line.at)}
        </time>
      </span>
      <span className={classes.text} dir="auto">
        {line.text}
      </span>
      {line.from === 'me' && (
        <span className={classes.fate}>
          {fate(line)}
          {isLost && (
            <span className={classes.fateActions}>
              <Button size="compact-xs" variant="default" disabled={!canSend} onClick={() => sendAgain(desktop, line)}>
                {t.chat.sendAgain}
              </Button>
              <Button size="compact-xs" variant="subtle" color="gray" onClick={() => dropLine(chatKey, line.id)}>
                {t.common.discard}
              </Button>
            </span>
          )}
        </span>
      )}
    </div>
  )
}
