import { useQuery } from '@tanstack/react-query'
import type { DevicePermission } from '../../shared/access.ts'
import { deviceQueries } from '../api/device-queries.ts'
import { useSession } from './use-session.ts'

/**
 * Permissions on this device. Until the server has answered, those on any device: the page hides nothing too early, and
 * the server checks every call anyway.
 */
export function useDeviceAccess(deviceId: string) {
  const session = useSession()
  const { data } = useQuery(deviceQueries.permissions(deviceId))
  return (permission: DevicePermission) => (data ? data.has(permission) : session.can(permission))
}
