import { useEffect } from 'react'
import type { DeviceResponseDto } from '../../shared/dtos/device.ts'
import { useSession } from '../hooks/use-session.ts'
import { usePreference } from '../styles/preferences.ts'

const kept = 8

/** Ids of the devices that this person last opened in this browser, the latest first. */
export function useRecentDevices() {
  const { user } = useSession()
  return usePreference<readonly string[]>(`recent-devices.${user.id}`, [])
}

/** Puts a device first among the recent ones. */
export function useRemembered({ id }: DeviceResponseDto) {
  const [, setRecent] = useRecentDevices()
  useEffect(
    () => setRecent((recent) => [id, ...recent.filter((other) => other !== id)].slice(0, kept)),
    [id, setRecent],
  )
}
