import { useLiveState } from './use-live-state.ts'

/** Whether the page may be stale because the connection to the server is lost. */
export const useIsAway = () => useLiveState().state === 'reconnecting'
