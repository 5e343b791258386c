import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useSession } from '../../hooks/use-session.ts'
import { isOfThisWindow } from '../viewer-kit/relay-ticket.ts'
import * as t from '../../texts.ts'

/** Describes who else sees or controls the device; empty for nobody. Polled every 2 s while shown. */
export function useOtherViewers(deviceId: string, isShown: boolean): string {
  const { user } = useSession()
  const { data } = useQuery({ ...queries.sessions, enabled: isShown })
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
