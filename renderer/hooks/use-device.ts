import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { watchDevices } from '../api/heartbeats.ts'
import type { DevicePage } from '../api/keep-order.ts'
import { deviceQueries } from '../api/device-queries.ts'

/** Device with live updates; shown at once if a cached list contains it. */
export function useDevice(deviceId: string) {
  const client = useQueryClient()
  useEffect(() => watchDevices([deviceId]), [deviceId])
  return useQuery({
    ...deviceQueries.device(deviceId),
    refetchInterval: 30_000,
    placeholderData: () =>
      client
        .getQueriesData<DevicePage>({ queryKey: ['devices', 'page'] })
        .flatMap(([, page]) => page?.items ?? [])
        .find(({ id }) => id === deviceId),
  })
}
