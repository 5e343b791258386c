import { Tooltip } from '@mantine/core'
import { IconUsers } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { RemoteSessionDto } from '../../shared/dtos/remote-session.ts'
import { queries } from '../api/queries.ts'
import { useSession } from '../hooks/use-session.ts'
import * as t from '../texts.ts'
import { visibleName } from '../text/visible-name.ts'
import classes from './device-sessions.module.css'

const shown: readonly string[] = ['remote-control', 'vnc', 'terminal', 'chat']
const lookAgainMs = 10_000

/** People with sessions on a device, each with the kinds of the sessions; empty for nobody. */
function whoIsOn(sessions: readonly RemoteSessionDto[], deviceId: string, userId: string): string {
  const here = sessions.filter((session) => session.deviceId === deviceId && shown.includes(session.kind))
  const people = Map.groupBy(here, ({ principalId, principalName }) =>
    principalId === userId ? t.sessions.you : visibleName(principalName),
  )
  return [...people]
    .map(([name, theirs]) => t.sessions.who(name, [...new Set(theirs.map(({ kind }) => t.sessions.kinds[kind]))]))
    .join(' · ')
}

/** Names the people on a device now. `isIcon` shows the names in a tooltip only. */
export function DeviceSessions({ deviceId, isIcon = false }: { deviceId: string; isIcon?: boolean }) {
  const { user } = useSession()
  const { data: who = '' } = useQuery({
    ...queries.sessions,
    refetchInterval: lookAgainMs,
    select: ({ sessions }) => whoIsOn(sessions, deviceId, user.id),
  })
  const text = t.sessions.now(who)
  return (
    who !== '' && (
      <Tooltip label={text} disabled={!isIcon} multiline maw={360}>
        <span className={classes.who} aria-label={isIcon ? text : undefined} role={isIcon ? 'img' : undefined}>
          <IconUsers size={15} stroke={1.6} aria-hidden />
          {!isIcon && <bdi className="truncate">{text}</bdi>}
        </span>
      </Tooltip>
    )
  )
}
