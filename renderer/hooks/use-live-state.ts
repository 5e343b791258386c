import { useSyncExternalStore } from 'react'
import { liveState, onLiveState } from '../api/hubs.ts'

export const useLiveState = () => useSyncExternalStore(onLiveState, liveState)
