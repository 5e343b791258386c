import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the window or tab of the browser is on screen at all. */
export const useIsPageSeen = () => useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')
