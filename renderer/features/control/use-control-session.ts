import { queryClient } from '../../api/query-client.ts'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { maxClipboardBytes } from '../../../shared/remote-control/clipboard.ts'
import { consentQueries } from '../../api/consent-queries.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { byteSize } from '../../text/format.ts'
import * as t from '../../texts.ts'
import { useSessionClipboard } from '../viewer-kit/use-session-clipboard.ts'
import { useViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { ControlSession } from './control-session.ts'
import { canAct } from './holders.ts'
import { captureOf, type ControlSettings } from './settings.ts'

const subscribe = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the browser window or tab is visible. */
const useIsPageSeen = () => useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')

interface ControlSessionStart {
  desktop: DesktopSession
  /** Display to show first, in place of the primary one. */
  displayId: string | undefined
  startsViewOnly: boolean
  settings: ControlSettings
}

/** Session with one desktop, with settings, permissions and clipboard. */
export function useControlSession(
  { desktop, displayId, startsViewOnly, settings }: ControlSessionStart,
  onNote: (text: string) => void,
) {
  const { device, can } = usePageDevice()
  const isSeen = [useIsPageSeen(), useTabIsShown()].every(Boolean)
  const capture = captureOf(settings, isSeen)
  const session = useRef<ControlSession>(undefined)
  const clipboard = useSessionClipboard(device.id, {
    isShared: settings.sharesClipboard,
    canRead: can('device.clipboard.read'),
    canWrite: can('device.clipboard.write'),
    canSend() {
      const state = session.current?.store.state
      const isOn = session.current?.clipboard.store.state.isOn ?? false
      return state?.session.phase === 'open' && isOn && !session.current?.isViewOnly && canAct(state.viewers)
    },
    maxLength: maxClipboardBytes,
    limit: byteSize(maxClipboardBytes),
    send: (text) =>
      session.current?.send({ name: 'ClipboardText', payload: { text, sessionId: session.current.sessionId } }),
    onNote,
  })
  const [source] = useState({
    deviceId: device.id,
    desktop,
    capture,
    isViewOnly: startsViewOnly || !can('device.remote-control.interact'),
    needsConsent: settings.needsConsent,
    displayId,
    isAsked: (subject: 'control' | 'viewing') =>
      queryClient.fetchQuery(consentQueries.device(device.id)).then(
        ({ rules }) => rules[subject].asksNow,
        () => false,
      ),
    onClipboard: (text: string) => void clipboard.receive(text),
  })
  const running = useViewerSession(source, (options) => new ControlSession(options), device.isOnline)
  session.current = running?.session

  const captureKey = JSON.stringify(capture)
  const sentCapture = useRef(captureKey)
  useEffect(() => {
    if (running?.session && sentCapture.current !== captureKey) {
      sentCapture.current = captureKey
      running.session.setCapture(JSON.parse(captureKey))
    }
  }, [running?.session, captureKey])

  const phase = running?.state.session.phase
  useEffect(() => {
    if (phase === 'lost') {
      clipboard.forget()
    }
  }, [phase, clipboard])

  const { followsPointer } = settings
  const current = running?.session
  useEffect(() => {
    if (current && phase === 'open' && followsPointer) {
      current.send({ name: 'FollowPointer', payload: { isEnabled: true } })
      return () => current.send({ name: 'FollowPointer', payload: { isEnabled: false } })
    }
  }, [current, phase, followsPointer])

  const message = running?.state.message
  useEffect(() => {
    if (message) {
      onNote(t.control.deviceSays(message.text))
    }
  }, [message, onNote])
  return { ...running, clipboard, startsViewOnly: source.isViewOnly }
}
