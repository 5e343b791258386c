import { useLiveState } from './use-live-state.ts'

/** Whether what the page shows may be old, because the connection to the server is lost. */
export const useIsAway = () => useLiveState().state === 'reconnecting'
