import { Link } from 'react-router'
import type { RemoteSessionKind } from '../../../shared/dtos/remote-session.ts'
import { Moment } from '../../components/moment.tsx'
import { deviceAddress, type DeviceTabName } from '../../components/device-tabs.ts'
import { sessionIcons } from '../../components/session-kinds.ts'
import { useSession } from '../../hooks/use-session.ts'
import { useSessions } from '../../hooks/use-sessions.ts'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import classes from './home.module.css'

/** Tab that leads back to a session; a preview is none that one returns to. */
const tabs: Partial<Record<RemoteSessionKind, DeviceTabName>> = {
  'remote-control': 'control',
  vnc: 'vnc',
  terminal: 'terminal',
  command: 'overview',
  chat: 'chat',
  upload: 'files',
  download: 'files',
  logs: 'logs',
}

/** Running sessions of the person on any browser, one click back. */
export function OwnSessions() {
  const { user } = useSession()
  const { sessions = [] } = useSessions()
  const own = sessions.flatMap((session) => {
    const tab = tabs[session.kind]
    return session.principalId === user.id && tab ? { ...session, tab } : []
  })
  return (
    own.length > 0 && (
      <section className={classes.section} aria-labelledby="home-sessions">
        <h2 id="home-sessions">{t.home.sessions}</h2>
        <ul className={classes.sessions}>
          {own.map(({ id, kind, deviceId, deviceName, startedAt, tab }) => {
            const Icon = sessionIcons[kind]
            const name = visibleName(deviceName)
            return (
              <li key={id}>
                <Link
                  to={deviceAddress(deviceId, tab)}
                  className={classes.session}
                  aria-label={t.home.back(t.sessions.kinds[kind], name)}
                >
                  <Icon size={18} stroke={1.6} aria-hidden />
                  <span className="truncate">
                    <bdi>{name}</bdi>
                  </span>
                  <span className="muted">{t.sessions.kinds[kind]}</span>
                  <Moment at={startedAt} says={t.home.since} />
                </Link>
              </li>
            )
          })}
        </ul>
      </section>
    )
  )
}
