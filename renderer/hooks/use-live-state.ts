import { useSyncExternalStore } from 'react'
import { liveState, onLiveState } from '../api/hubs.ts'

export const useLiveState = () => useSyncExternalStore(onLiveState, liveState)

/** Whether the page may be stale because the connection to the server is lost. */
export const useIsAway = () => useLiveState().state === 'reconnecting'
