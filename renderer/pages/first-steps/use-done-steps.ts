import { useQuery } from '@tanstack/react-query'
import { desktop } from '../../api/desktop.ts'
import { queries } from '../../api/queries.ts'
import { serverQueries } from '../../api/server-queries.ts'
import type { FirstStep } from '../../hooks/use-first-steps.ts'

export const desktopInfoKey = ['desktop-info']

/** Settings of the desktop shell; null in a browser. */
export const useDesktopInfo = () =>
  useQuery({ queryKey: desktopInfoKey, queryFn: async () => (await desktop?.getDesktopInfo()) ?? null })

const anyDevice = queries.devicePage({ query: '', sortDefinitions: [] }, { page: 0, pageSize: 1 })

/** Steps whose work is done, whether or not it was done on this walk. */
export function useDoneSteps(steps: readonly FirstStep[]): ReadonlySet<FirstStep> {
  const { data: account } = useQuery(queries.ownAccount)
  const { data: passkeys } = useQuery(queries.passkeys)
  const { data: info } = useDesktopInfo()
  const { data: network } = useQuery({ ...queries.network, enabled: steps.includes('network') })
  const { data: backup } = useQuery({ ...serverQueries.backup, enabled: steps.includes('backup') })
  const { data: devices } = useQuery(anyDevice)
  const done: Record<FirstStep, boolean> = {
    secure: account?.isTwoFactorEnabled === true || (passkeys?.items.length ?? 0) > 0,
    start: info?.startAtLogin === true,
    network: network?.state === 'serving',
    backup: backup?.recoveryKey != null && backup.settings.folder !== null,
    device: devices?.anyDevicesForUser === true,
  }
  return new Set(steps.filter((step) => done[step]))
}
