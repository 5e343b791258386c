import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import type { CaptureSettingsDto } from '../../../shared/remote-control/messages.ts'
import { ControlSession } from './control-session.ts'

interface SessionStart {
  deviceId: string
  desktop: DesktopSession
  capture: CaptureSettingsDto
  isViewOnly: boolean
  needsConsent: boolean
  onClipboard: (text: string) => void
}

const nothing = () => () => {}

/** A session for as long as the room of it is open; what changes later is given to its functions. */
export function useSession(start: SessionStart) {
  const first = useRef(start)
  const [session, setSession] = useState<ControlSession>()
  useEffect(() => {
    const created = new ControlSession(first.current)
    setSession(created)
    return () => {
      created.stop()
      setSession(undefined)
    }
  }, [])
  const state = useSyncExternalStore(session?.subscribe ?? nothing, () => session?.state)
  return session && state ? { session, state } : undefined
}
