import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../hooks/use-session.ts'
import { isOfThisWindow } from '../viewer-kit/relay-ticket.ts'
import * as t from '../../texts.ts'
import { remoteSessionQueries } from '../../api/remote-session-queries.ts'

/** Describes who else sees or controls the device; empty for nobody. Polled every 2 s while shown. */
export function useOtherViewers(deviceId: string, isShown: boolean): string {
  const { user } = useSession()
  const { data } = useQuery({ ...remoteSessionQueries.sessions, enabled: isShown })
  const others = (data?.sessions ?? []).filter(
    (session) =>
      session.deviceId === deviceId &&
      session.isConnected &&
      session.canInteract !== undefined &&
      !isOfThisWindow(session.id),
  )
  const names = (canInteract: boolean) => [
    ...new Set(
      others
        .filter((session) => session.canInteract === canInteract)
        .map(({ principalId, principalName }) => (principalId === user.id ? t.control.youElsewhere : principalName)),
    ),
  ]
  return others.length === 0 ? '' : t.control.presence(names(true), names(false))
}
