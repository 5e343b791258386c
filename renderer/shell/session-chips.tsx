import { UnstyledButton } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Link, useMatch } from 'react-router'
import { deviceAddress, deviceTabs } from '../components/device-tabs.ts'
import { endChat, useChats } from '../features/chat/chats.ts'
import { useRunningSessions, type RunningSession } from '../features/viewer-kit/running-sessions.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import classes from './session-chips.module.css'

/** Chats that are open at their devices. They need no page: their messages arrive in the whole window. */
const useOpenChats = (): RunningSession[] =>
  useChats()
    .filter(({ sessionId }) => sessionId !== undefined)
    .map(({ key, deviceId, deviceName }) => ({
      deviceId,
      deviceName,
      tab: 'chat',
      count: 1,
      end: () => endChat(key),
    }))

/** Running sessions of this window on devices that are not on screen: one click back, and ended here. */
export function SessionChips() {
  const { deviceId } = useMatch('/devices/:deviceId/*')?.params ?? {}
  const away = [...useRunningSessions(), ...useOpenChats()].filter((session) => session.deviceId !== deviceId)
  return (
    away.length > 0 && (
      <ul className={classes.chips} aria-label={t.sessions.yours}>
        {away.map((session, index) => {
          const Icon = deviceTabs[session.tab].icon
          const name = visibleName(session.deviceName)
          const kind = t.sessions.running(deviceTabs[session.tab].label, session.count)
          return (
            <li key={`${session.deviceId} ${session.tab} ${index}`} className={classes.chip}>
              <Link
                to={deviceAddress(session.deviceId, session.tab)}
                className={classes.back}
                aria-label={t.sessions.back(kind, name)}
                title={t.sessions.back(kind, name)}
              >
                <Icon size={15} stroke={1.6} aria-hidden />
                <bdi className="truncate">{name}</bdi>
                <span className="muted">{kind}</span>
              </Link>
              <UnstyledButton
                className={classes.end}
                aria-label={t.sessions.endOne(kind, name)}
                title={t.sessions.endOne(kind, name)}
                onClick={session.end}
              >
                <IconX size={14} aria-hidden />
              </UnstyledButton>
            </li>
          )
        })}
      </ul>
    )
  )
}
