import { Badge, Button } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconHourglass } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { TextLink } from '../../components/links.tsx'
import { useSeconds } from '../../hooks/use-now.ts'
import type { LiveSession } from '../../hooks/use-sessions.ts'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { byteSize, clockTime, exactTime } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'
import rows from '../../components/rows.module.css'
import classes from './session-list.module.css'
import { SessionOwnerMenu } from '../../components/session-owner-menu.tsx'
import { sessionIcons } from '../../components/session-kinds.ts'

export type SessionColumn = 'kind' | 'device' | 'person' | 'since' | 'traffic'

interface SessionListProps {
  sessions: readonly LiveSession[]
  onEnd: (session: LiveSession) => void
  /** Renders each header, where the list can be sorted. */
  header?: (column: SessionColumn, label: string) => ReactNode
  /** Selected sessions and their toggle, where several can be ended together. */
  selected?: ReadonlySet<string>
  onToggle?: (session: LiveSession) => void
}

const plainHeader = (_: SessionColumn, label: string): ReactNode => label

function Traffic({ session }: { session: LiveSession }) {
  const { bytesToDevice, bytesFromDevice, bytesPerSecond } = session
  return (
    <span className={classes.traffic}>
      <span title={t.sessions.fromDevice}>
        <IconArrowDown size={13} aria-label={t.sessions.fromDevice} role="img" />
        {byteSize(bytesFromDevice)}
      </span>
      <span title={t.sessions.toDevice}>
        <IconArrowUp size={13} aria-label={t.sessions.toDevice} role="img" />
        {byteSize(bytesToDevice)}
      </span>
      <span className={`${classes.rate} muted`}>
        {bytesPerSecond !== undefined && t.sessions.rate(byteSize(bytesPerSecond))}
      </span>
    </span>
  )
}

interface SessionRowProps extends Pick<SessionListProps, 'selected' | 'onToggle' | 'onEnd'> {
  session: LiveSession
  now: number
}

function SessionRow({ session, now, selected, onToggle, onEnd }: SessionRowProps) {
  const { user } = useSession()
  const { id, kind, deviceId, principalKind, principalId, canEnd } = session
  const deviceName = visibleName(session.deviceName)
  const principalName = visibleName(session.principalName)
  const Sign = sessionIcons[kind]
  const name = t.sessions.kinds[kind]
  const isMine = principalId === user.id
  return (
    <tr aria-selected={selected?.has(id)}>
      {selected && (
        <td className={classes.check}>
          {canEnd && (
            <span className={rows.check}>
              <input
                type="checkbox"
                aria-label={t.sessions.select(name, deviceName)}
                checked={selected.has(id)}
                onChange={() => onToggle?.(session)}
              />
            </span>
          )}
        </td>
      )}
      <td>
        <span className={classes.kind}>
          <Sign size={16} stroke={1.6} aria-hidden />
          <span className={classes.kindName}>{name}</span>
          {!session.isConnected && (
            <IconHourglass className={classes.waiting} size={14} aria-label={t.sessions.waiting} role="img" />
          )}
        </span>
      </td>
      <td className={classes.name}>
        <TextLink to={`/devices/${deviceId}`} className="truncate">
          {deviceName}
        </TextLink>
      </td>
      <td className={classes.name}>
        <span className={classes.person} data-mine={isMine || undefined}>
          {isMine || principalKind === 'ServiceAccount' ? (
            <span className="truncate" title={principalName}>
              {principalName}
            </span>
          ) : (
            <SessionOwnerMenu
              sessions={[session]}
              label={t.sessions.owner(principalName)}
              className={`${classes.owner} truncate`}
            >
              {principalName}
            </SessionOwnerMenu>
          )}
          {isMine && <Badge size="xs">{t.sessions.you}</Badge>}
          {session.shareId !== undefined && (
            <Badge size="xs" variant="default">
              {t.rights.sharedMark}
            </Badge>
          )}
          {principalKind === 'ServiceAccount' && (
            <Badge size="xs" variant="default">
              {t.sessions.program}
            </Badge>
          )}
        </span>
      </td>
      <td>
        <span className="tabular" title={t.sessions.startedAt(exactTime(Date.parse(session.startedAt)))}>
          {clockTime(now - Date.parse(session.startedAt))}
        </span>
      </td>
      <td className={classes.stateColumn}>
        <span
          className={classes.state}
          data-connected={session.isConnected || undefined}
          title={session.isConnected ? undefined : t.sessions.waitingHint}
        >
          {session.isConnected ? t.sessions.connected : t.sessions.waiting}
        </span>
      </td>
      <td className={classes.trafficColumn}>
        <Traffic session={session} />
      </td>
      <td className={classes.action}>
        {canEnd && (
          <Button
            variant="subtle"
            color="danger"
            size="compact-xs"
            aria-label={t.sessions.endOne(name, deviceName)}
            onClick={() => onEnd(session)}
          >
            {t.sessions.end}
          </Button>
        )}
      </td>
    </tr>
  )
}

/** Running sessions: person, device, duration and traffic. */
export function SessionList({ sessions, onEnd, header = plainHeader, selected, onToggle }: SessionListProps) {
  const now = useSeconds()
  const labels = { kind: t.common.kind, device: t.common.device, person: t.sessions.person } as const
  return (
    <table className={classes.table} aria-label={t.sessions.list}>
      <thead>
        <tr>
          {selected && (
            <th className={classes.check}>
              <span className="visually-hidden">{t.sessions.end}</span>
            </th>
          )}
          <th className={classes.kindColumn}>{header('kind', labels.kind)}</th>
          <th>{header('device', labels.device)}</th>
          <th>{header('person', labels.person)}</th>
          <th className={classes.since}>{header('since', t.sessions.since)}</th>
          <th className={classes.stateColumn}>{t.common.state}</th>
          <th className={classes.trafficColumn}>{header('traffic', t.sessions.traffic)}</th>
          <th className={classes.action}>
            <span className="visually-hidden">{t.sessions.end}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <SessionRow key={session.id} {...{ session, now, selected, onToggle, onEnd }} />
        ))}
      </tbody>
    </table>
  )
}
