import { notifications } from '@mantine/notifications'
import { useMutation } from '@tanstack/react-query'
import type { DeviceResponseDto } from '../../../shared/dtos/device.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { api } from '../../api/http.ts'
import { invalidate } from '../../api/query-client.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'

type Watched = Pick<DeviceResponseDto, 'id'>

/** Asks to be told once when an offline device is back, and takes that back. */
export function useWatch() {
  const change = useMutation({
    mutationFn: ({ deviceId, isWanted }: { deviceId: string; isWanted: boolean }) =>
      isWanted ? api.alerts.watch({ params: { deviceId } }) : api.alerts.unwatch({ params: { deviceId } }),
    onError: (error) =>
      notifications.show({ title: t.alerts.watchFailed, message: problemText(error), color: 'danger' }),
    onSettled: () => invalidate(alertQueries.all),
  })
  return {
    isPending: change.isPending,
    watch: ({ id: deviceId }: Watched, onWatched?: () => void) =>
      change.mutate({ deviceId, isWanted: true }, onWatched && { onSuccess: onWatched }),
    unwatch: ({ id: deviceId }: Watched) => change.mutateAsync({ deviceId, isWanted: false }),
  }
}
