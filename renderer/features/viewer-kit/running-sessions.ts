import { useEffect, useEffectEvent, useSyncExternalStore } from 'react'
import { createEvent } from '../../api/create-event.ts'
import type { DeviceTabName } from '../../components/device-tabs.ts'
import { usePageDevice } from '../../hooks/use-page-device.ts'
import { nameOfDevice } from '../../text/name-of-device.ts'

/** A session of this window, which continues while other pages are shown. */
export interface RunningSession {
  deviceId: string
  deviceName: string
  tab: DeviceTabName
  /** Number of sessions of this kind, such as terminals. */
  count: number
  /** Ends the session; its page then closes. */
  end(): void
}

let running: readonly RunningSession[] = []
const changes = createEvent<void>()

const set = (next: readonly RunningSession[]) => {
  running = next
  changes.emit()
}

export const useRunningSessions = () => useSyncExternalStore(changes.on, () => running)

/** Keeps the tab of the device's page alive while `count` of its sessions run, also while other pages are shown. */
export function useRunning(tab: DeviceTabName, count: number, end: () => void): void {
  const { device } = usePageDevice()
  const { id: deviceId } = device
  const deviceName = nameOfDevice(device)
  const close = useEffectEvent(end)
  useEffect(() => {
    if (count > 0) {
      const session: RunningSession = {
        deviceId,
        deviceName,
        tab,
        count,
        end() {
          close()
          leave()
        },
      }
      const leave = () => set(running.filter((each) => each !== session))
      set([...running, session])
      return leave
    }
  }, [deviceId, deviceName, tab, count])
}
