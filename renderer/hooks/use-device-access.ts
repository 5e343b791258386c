import { useQuery } from '@tanstack/react-query'
import type { DevicePermission } from '../../shared/access.ts'
import { queries } from '../api/queries.ts'
import { useSession } from './use-session.ts'

/**
 * What the person may do on this device. Until the server has answered, what they may do on any: so nothing that
 * they may use is missing at first, and the server decides about each call in any case.
 */
export function useDeviceAccess(deviceId: string) {
  const session = useSession()
  const { data } = useQuery(queries.devicePermissions(deviceId))
  return (permission: DevicePermission) => (data ? data.has(permission) : session.can(permission))
}
