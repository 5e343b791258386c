import { useQuery } from '@tanstack/react-query'
import { useCallback, useEffect } from 'react'
import { watchDevices } from '../api/heartbeats.ts'
import type { DevicePage } from '../api/keep-order.ts'
import { deviceQueries } from '../api/device-queries.ts'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import type { DevicePermission } from '../../shared/access.ts'
import { useSession } from './use-session.ts'
import { queryClient } from '../api/query-client.ts'

/**
 * Permissions on this device. Until the server has answered, those on any device: the page hides nothing too early, and
 * the server checks every call anyway.
 */
export function useDeviceAccess(deviceId: string) {
  const session = useSession()
  const { data } = useQuery(deviceQueries.permissions(deviceId))
  return useCallback(
    (permission: DevicePermission) => (data ? data.has(permission) : session.can(permission)),
    [data, session],
  )
}

/** Make of a device's agent, and whether this server can update the agent; undefined until the server has answered. */
export const useDeviceAgent = ({ id, agentVersion }: DeviceResponseDto) =>
  useQuery(deviceQueries.agents([{ id, agentVersion }])).data?.get(id)

/** Device with live updates; shown at once if a cached list contains it. */
export function useDevice(deviceId: string) {
  useEffect(() => watchDevices([deviceId]), [deviceId])
  return useQuery({
    ...deviceQueries.device(deviceId),
    refetchInterval: 30_000,
    placeholderData: () =>
      queryClient
        .getQueriesData<DevicePage>({ queryKey: ['devices', 'page'] })
        .flatMap(([, page]) => page?.items ?? [])
        .find(({ id }) => id === deviceId),
  })
}
