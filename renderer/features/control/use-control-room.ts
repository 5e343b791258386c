import { useMediaQuery } from '@mantine/hooks'
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { flushSync } from 'react-dom'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import { maxClipboardLength } from '../viewer-kit/clipboard-scope.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useNote } from '../viewer-kit/use-note.ts'
import { useSessionClipboard } from '../viewer-kit/use-session-clipboard.ts'
import { useViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { focusToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import { ControlSession, type ControlState } from './control-session.ts'
import { captureOf, type ChangeSettings, type ControlSettings } from './settings.ts'
import { useOtherViewers } from './use-other-viewers.ts'
import { useSpecialKeys } from './use-special-keys.ts'

const subscribe = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the browser window or tab is visible. */
const useIsPageSeen = () => useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')

export interface ControlRoomProps {
  desktop: DesktopSession
  startsViewOnly: boolean
  settings: ControlSettings
  onChange: ChangeSettings
  onLeave: () => void
}

/** Session with one desktop, with settings, permissions and clipboard. */
function useControlSession({ desktop, startsViewOnly, settings }: ControlRoomProps, onNote: (text: string) => void) {
  const { device, can } = usePageDevice()
  const isSeen = [useIsPageSeen(), useTabIsShown()].every(Boolean)
  const capture = captureOf(settings, isSeen)
  const session = useRef<ControlSession>(undefined)
  const clipboard = useSessionClipboard(device.id, {
    isShared: settings.sharesClipboard,
    canRead: can('device.clipboard.read'),
    canWrite: can('device.clipboard.write'),
    canSend: () => session.current?.store.state.session.phase === 'open' && !session.current.isViewOnly,
    maxLength: maxClipboardLength,
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

  const message = running?.state.message
  useEffect(() => {
    if (message) {
      onNote(t.control.deviceSays(message.text))
    }
  }, [message, onNote])
  return { ...running, clipboard, startsViewOnly: source.isViewOnly }
}

interface RoomEffects {
  isOpen: boolean
  isFullScreen: boolean
  presence: string
  setNote: (note: string | undefined) => void
}

/** Focuses the keyboard area when the session opens, and shows notes. Returns the area and the function that focuses it. */
function useRoomEffects({ isOpen, isFullScreen, presence, setNote }: RoomEffects) {
  const isShown = useTabIsShown()
  const keyboard = useRef<HTMLTextAreaElement>(null)
  const focus = useCallback(() => keyboard.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (isShown && isOpen) {
      focus()
    }
  }, [isShown, isOpen, focus])
  useEffect(() => {
    if (isFullScreen) {
      setNote(t.viewer.leaveFullScreenHint('Ctrl+Alt+Shift+F'))
      return () => setNote(undefined)
    }
  }, [isFullScreen, setNote])
  useEffect(() => {
    if (presence !== '') {
      setNote(presence)
    }
  }, [presence, setNote])
  return { keyboard, focus }
}

/** State and commands of the room, for its actions and panels. */
export function useControlRoom(props: ControlRoomProps) {
  const { desktop, settings, onChange } = props
  const { device, can } = usePageDevice()
  const isShown = useTabIsShown()
  const dock = useRef<HTMLDivElement>(null)
  const [note, setNote] = useNote()
  const { session, state, clipboard, startsViewOnly } = useControlSession(props, setNote)
  const keys = useSpecialKeys({ session, desktop, onNote: setNote })
  const { isFull: isFullScreen, toggle } = useFullScreen()
  const [panel, setPanel] = useState<string>()
  const [isViewOnly, setIsViewOnly] = useState(startsViewOnly)
  const [isTyping, setIsTyping] = useState(false)
  const [isFocused, setIsFocused] = useState(false)
  const [showsKeyBar, setShowsKeyBar] = useState(false)
  const [isKeyboardOnScreen, setIsKeyboardOnScreen] = useState(false)
  const hasTouch = useMediaQuery('(any-pointer: coarse)', false, { getInitialValueInEffect: false })
  const presence = useOtherViewers(device.id, isShown)
  const isOpen = state?.session.phase === 'open'
  const { keyboard, focus } = useRoomEffects({ isOpen, isFullScreen, presence, setNote })

  return {
    device,
    can,
    session,
    state,
    clipboard,
    settings,
    onChange,
    keys,
    keyboard,
    dock,
    note,
    presence,
    focus,
    panel,
    isTyping,
    isFocused,
    isViewOnly,
    isFullScreen,
    isKeyboardOnScreen,
    showsKeyBar,
    hasTouch,
    canInteract: can('device.remote-control.interact'),
    setShowsKeyBar,
    openPanel(name: string | undefined) {
      setPanel(name)
      if (name === undefined) {
        focus()
      }
    },
    /** Requests another session, since a view-only session cannot be upgraded. */
    setViewOnly(next: boolean) {
      setIsViewOnly(next)
      session?.begin({ isViewOnly: next })
    },
    toggleFullScreen() {
      toggle()
      focus()
    },
    focusToolbar() {
      // A hidden dock has a single button, which shows the toolbar.
      if (!dock.current?.querySelector('[role="toolbar"]')) {
        dock.current?.querySelector('button')?.click()
      }
      requestAnimationFrame(() => focusToolbar(dock.current))
    },
    /** Refocuses the keyboard area: browsers show an on-screen keyboard only on focus during a tap. */
    showKeyboard(isOn: boolean) {
      keyboard.current?.blur()
      flushSync(() => {
        setPanel(undefined)
        setIsKeyboardOnScreen(isOn)
      })
      focus()
    },
    showDisplay(index: number) {
      const display = state?.displays[index]
      if (display) {
        session?.show(display.displayId)
      }
    },
    setFocused(hasFocus: boolean) {
      setIsFocused(hasFocus)
      if (!hasFocus) {
        keys.release()
        setIsKeyboardOnScreen(false)
      }
      clipboard.setFocused(hasFocus)
    },
    openTypeDialog() {
      setPanel(undefined)
      setIsTyping(true)
    },
    closeTypeDialog() {
      setIsTyping(false)
      focus()
    },
    end: () => session?.end(),
  }
}

export type ControlRoomState = ReturnType<typeof useControlRoom>
/** State while the session is being requested. */
export const connecting: ControlState['session'] = { phase: 'connecting' }
