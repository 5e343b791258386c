import { useSyncExternalStore } from 'react'
import type { Hold } from '../api/hold.ts'

/** Whether requests wait for something. */
export const useIsWaiting = ({ onChange, isWaiting }: Hold) => useSyncExternalStore(onChange, isWaiting)
