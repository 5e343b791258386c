import { startTransition, useEffect, useEffectEvent, useState, useSyncExternalStore } from 'react'
import type { Store } from './store.ts'

/** Viewer session for `useViewerSession`. */
export interface ViewerSession<State extends object> {
  readonly store: Store<State>
  setDeviceOnline(isOnline: boolean): void
  /** Called when the component unmounts. */
  stop(): void
}

const nothing = () => () => {}

/** State of a store, which may be missing. */
export function useStore<State extends object>(store: Store<State> | undefined): State | undefined {
  return useSyncExternalStore(store?.subscribe ?? nothing, () => store?.state)
}

/** Creates a session for each new `source`, follows its state, and stops it on unmount. */
export function useViewerSession<Source, State extends object, Session extends ViewerSession<State>>(
  source: Source | undefined,
  create: (source: Source) => Session & ViewerSession<State>,
  isDeviceOnline: boolean,
): { session: Session; state: State } | undefined {
  const [session, setSession] = useState<Session & ViewerSession<State>>()
  const start = useEffectEvent(create)
  useEffect(() => {
    if (source === undefined) {
      return undefined
    }
    const created = start(source)
    // Rendering must not delay the request of the session, which is sent after this task.
    startTransition(() => setSession(created))
    return () => {
      created.stop()
      setSession(undefined)
    }
  }, [source])
  useEffect(() => session?.setDeviceOnline(isDeviceOnline), [session, isDeviceOnline])
  const state = useStore(session?.store)
  return session && state ? { session, state } : undefined
}
