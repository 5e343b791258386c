import { UnstyledButton } from '@mantine/core'
import { IconUser, IconUserOff } from '@tabler/icons-react'
import type { ChatDesktop } from './chats.ts'
import { en as t } from '../../strings/en.ts'
import classes from './chat.module.css'

interface DesktopListProps {
  desktops: readonly (ChatDesktop & { key: string; isGone: boolean })[]
  /** Number of unread answers, by chat key. */
  unread: ReadonlyMap<string, number>
  active: string
  onChoose: (key: string) => void
}

/** Desktops of a device with their users. */
export const DesktopList = ({ desktops, unread, active, onChoose }: DesktopListProps) => (
  <nav className={classes.desktops} aria-label={t.chat.desktops}>
    {desktops.map(({ key, session, isGone }) => {
      const count = unread.get(key) ?? 0
      const Mark = session.username === '' || isGone ? IconUserOff : IconUser
      return (
        <UnstyledButton
          key={key}
          className={classes.desktop}
          aria-current={key === active || undefined}
          data-gone={isGone || undefined}
          onClick={() => onChoose(key)}
        >
          <Mark size={16} stroke={1.6} aria-hidden />
          <span className={classes.who}>
            <bdi className="truncate">{t.chat.person(session.username)}</bdi>
            <bdi className="small muted truncate" title={session.name}>
              {session.name}
            </bdi>
          </span>
          {count > 0 && (
            <span className={classes.count}>
              <span aria-hidden>{count}</span>
              <span className="visually-hidden">{t.chat.unread(count)}</span>
            </span>
          )}
        </UnstyledButton>
      )
    })}
  </nav>
)
