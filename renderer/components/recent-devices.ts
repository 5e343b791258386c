import { useEffect } from 'react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { useSession } from '../hooks/use-session.ts'
import { usePreference } from '../styles/preferences.ts'

const kept = 8

/** Ids of the devices that this user opened last in this browser, newest first. */
export function useRecentDevices() {
  const { user } = useSession()
  return usePreference<readonly string[]>(`recent-devices.${user.id}`, [])
}

/** Puts a device first in the list of recent devices. */
export function useRemembered({ id }: DeviceResponseDto) {
  const [, setRecent] = useRecentDevices()
  useEffect(
    () => setRecent((recent) => [id, ...recent.filter((other) => other !== id)].slice(0, kept)),
    [id, setRecent],
  )
}
