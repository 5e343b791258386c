import { Tooltip } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { RemoteSessionDto } from '../../shared/dtos/remote-session.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import classes from './device-sessions.module.css'
import { SessionOwnerMenu } from './session-owner-menu.tsx'
import { remoteSessionQueries } from '../api/remote-session-queries.ts'

const shown: readonly string[] = ['remote-control', 'vnc', 'terminal', 'chat']
const lookAgainMs = 10_000

/** People with the sessions of a device, each with the kinds of the sessions; empty for nobody. */
function namesOf(sessions: readonly RemoteSessionDto[], userId: string): string {
  const people = Map.groupBy(sessions, ({ principalId, principalName }) =>
    principalId === userId ? t.sessions.you : visibleName(principalName),
  )
  return [...people]
    .map(([name, theirs]) => t.sessions.who(name, [...new Set(theirs.map(({ kind }) => t.sessions.kinds[kind]))]))
    .join(' · ')
}

/** Names the people on a device now, and leads to the sessions of the others. `isIcon` shows the names in a tooltip only. */
export function DeviceSessions({ deviceId, isIcon = false }: { deviceId: string; isIcon?: boolean }) {
  const { user } = useSession()
  const { data: sessions = [] } = useQuery({
    ...remoteSessionQueries.sessions,
    refetchInterval: lookAgainMs,
    select: ({ sessions: all }) => all.filter((each) => each.deviceId === deviceId && shown.includes(each.kind)),
  })
  if (sessions.length === 0) {
    return null
  }
  const text = t.sessions.now(namesOf(sessions, user.id))
  const others = sessions.filter(
    ({ principalId, principalKind }) => principalId !== user.id && principalKind === 'User',
  )
  const content = (
    <>
      <IconUsers size={15} stroke={1.6} aria-hidden />
      {!isIcon && <bdi className="truncate">{text}</bdi>}
    </>
  )
  return (
    <Tooltip label={text} disabled={!isIcon} multiline maw={360}>
      {others.length > 0 ? (
        <span className={classes.menu}>
          <SessionOwnerMenu sessions={others} label={text} className={classes.who} isInRow={isIcon}>
            {content}
          </SessionOwnerMenu>
        </span>
      ) : (
        <span className={classes.who} aria-label={isIcon ? text : undefined} role={isIcon ? 'img' : undefined}>
          {content}
        </span>
      )}
    </Tooltip>
  )
}
