import { useEffect, useRef, useState } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { en as t } from '../../strings/en.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { captureOf, type ControlSettings } from './settings.ts'
import { useIsPageSeen } from './use-is-page-seen.ts'
import { useSession } from './use-session.ts'
import { useSharedClipboard } from './use-shared-clipboard.ts'

interface RoomSessionInput {
  desktop: DesktopSession
  startsViewOnly: boolean
  settings: ControlSettings
  onNote: (text: string) => void
}

/** The session with one desktop, as the settings and the rights of the person say, and the clipboard that goes with it. */
export function useRoomSession({ desktop, startsViewOnly, settings, onNote }: RoomSessionInput) {
  const { device, can } = usePageDevice()
  const isPageSeen = useIsPageSeen()
  const isShown = useTabIsShown()
  const canInteract = can('device.remote-control.interact')
  const clipboard = useSharedClipboard({
    deviceId: device.id,
    isOn: settings.sharesClipboard,
    canRead: can('device.clipboard.read'),
    canWrite: can('device.clipboard.write'),
    onNote,
  })
  const [isViewOnly, setIsViewOnly] = useState(startsViewOnly || !canInteract)
  const capture = captureOf(settings, isPageSeen && isShown)
  const running = useSession({
    deviceId: device.id,
    desktop,
    capture,
    isViewOnly: startsViewOnly || !canInteract,
    needsConsent: settings.needsConsent,
    onClipboard: (text) => void clipboard.take(text),
  })
  const { session, state } = running ?? {}

  const captureKey = JSON.stringify(capture)
  const sentCapture = useRef(captureKey)
  useEffect(() => {
    if (session && sentCapture.current !== captureKey) {
      sentCapture.current = captureKey
      session.setCapture(JSON.parse(captureKey))
    }
  }, [session, captureKey])

  const { forget: forgetClipboard } = clipboard
  const phase = state?.phase.name
  useEffect(() => {
    if (phase === 'lost') {
      forgetClipboard()
    }
  }, [phase, forgetClipboard])

  const told = state?.told
  useEffect(() => {
    if (told) {
      onNote(t.control.deviceSays(told.text))
    }
  }, [told, onNote])

  return {
    session,
    state,
    clipboard,
    isViewOnly,
    /** A session that began with looking only is one for looking only at the device: acting takes another one. */
    changeViewOnly(next: boolean) {
      setIsViewOnly(next)
      session?.begin({ isViewOnly: next })
    },
  }
}
