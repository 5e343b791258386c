import { useSyncExternalStore } from 'react'
import { liveState, onLiveState } from '../api/hubs.ts'

/** State of the live channel. */
export const useLiveState = () => useSyncExternalStore(onLiveState, liveState)
