import { useEffect, useRef } from 'react'
import type { DeviceResponseDto } from '../../../../shared/dtos/device.ts'
import { viewer } from '../../../api/hubs.ts'

/** Age at which a report is no longer fresh. Several pages ask at different times, and each report starts their wait again. */
const freshMs = 15_000
const spreadMs = 3_000

/** Asks the agent for another report whenever the last one is no longer fresh, while somebody looks at the device. */
export function useFreshReports({ id, isOnline, lastSeen }: DeviceResponseDto, isShown: boolean) {
  const asked = useRef('')
  useEffect(() => {
    if (!isOnline || !isShown) {
      return
    }
    const ask = () => {
      if (document.visibilityState === 'visible') {
        void viewer.RefreshDeviceInfo2({ deviceId: id }).catch(() => {})
      }
    }
    // The clock of this computer may be wrong, so an old report is a reason to ask at once a single time.
    if (asked.current !== id && Date.now() - Date.parse(lastSeen) > freshMs) {
      ask()
    }
    asked.current = id
    const timer = setInterval(ask, freshMs + Math.random() * spreadMs)
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [id, isOnline, isShown, lastSeen])
}
