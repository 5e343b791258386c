import { notifications } from '@mantine/notifications'
import { useMutation, useQuery } from '@tanstack/react-query'
import type { AlertDto } from '../../../shared/dtos/alert.ts'
import { alertKinds } from '../../../shared/dtos/alert-rule.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { api } from '../../api/http.ts'
import { invalidate } from '../../api/query-client.ts'
import { useIsGuest } from '../../hooks/use-is-guest.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'

/** Whether the user is a person with alerts, rather than the guest of a link. */
const useHasAlerts = () => useIsGuest() === false

/** Counts of active alerts, and the devices that have some or are watched; undefined until they are known. */
export function useAlertSummary() {
  const enabled = useHasAlerts()
  return useQuery({ ...alertQueries.summary, enabled }).data
}

/** Newest alerts that are not closed. */
export function useNewestAlerts() {
  const enabled = useHasAlerts()
  return useQuery({ ...alertQueries.newest, enabled })
}

export function useAlertsOf(deviceId: string): readonly AlertDto[] {
  const enabled = useHasAlerts()
  return useQuery({ ...alertQueries.ofDevice(deviceId), enabled }).data ?? []
}

/** Whether acknowledging closes the alert: it tells of a moment, and nothing lasts that could end. */
export const isOfMoment = ({ kind }: Pick<AlertDto, 'kind'>) => kind === 'watched' || !alertKinds.get(kind)?.lasts

/** Acknowledges and snoozes alerts; a failure is a toast, because the alert may be anywhere on the page. */
export function useAlertActions() {
  const change = useMutation({
    mutationFn: ({ alertId, minutes }: { alertId: string; minutes?: number }) =>
      minutes === undefined
        ? api.alerts.acknowledge({ params: { alertId } })
        : api.alerts.snooze({ params: { alertId }, body: { minutes } }),
    onError: (error) => notifications.show({ title: t.alerts.failed, message: problemText(error), color: 'danger' }),
    onSettled: () => invalidate(alertQueries.all),
  })
  return {
    pendingId: change.isPending ? change.variables.alertId : undefined,
    acknowledge: (alertId: string) => change.mutate({ alertId }),
    snooze: (alertId: string, minutes: number) => change.mutate({ alertId, minutes }),
  }
}
