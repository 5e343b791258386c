import { useSyncExternalStore } from 'react'
import type { WaitingRequests } from '../api/waiting-requests.ts'

/** Whether requests wait in the queue. */
export const useIsWaiting = ({ onChange, isWaiting }: WaitingRequests) => useSyncExternalStore(onChange, isWaiting)
