import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { useSession } from '../../hooks/use-session.ts'
import { en as t } from '../../strings/en.ts'

/** Describes who else sees or controls the device; empty for nobody. Polled every 2 s while shown. */
export function useOtherViewers(deviceId: string, isShown: boolean, ownId?: string): string {
  const { user } = useSession()
  const { data } = useQuery({ ...queries.sessions, enabled: isShown })
  const others = (data?.sessions ?? []).filter(
    (session) =>
      session.deviceId === deviceId && session.isConnected && session.canInteract !== undefined && session.id !== ownId,
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
