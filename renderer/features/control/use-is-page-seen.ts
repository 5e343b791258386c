import { useSyncExternalStore } from 'react'

const subscribe = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the browser window or tab is visible. */
export const useIsPageSeen = () => useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')
