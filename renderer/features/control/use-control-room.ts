import { useMediaQuery } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useRef, useState, useSyncExternalStore, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { maxClipboardBytes } from '../../../shared/remote-control/clipboard.ts'
import { allDisplays } from '../../../shared/remote-control/values.ts'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { consentQueries } from '../../api/consent-queries.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import { byteSize } from '../../text/format.ts'
import * as t from '../../texts.ts'
import type { SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useNote } from '../viewer-kit/use-note.ts'
import { useSessionClipboard } from '../viewer-kit/use-session-clipboard.ts'
import { useRecording } from '../viewer-kit/use-recording.ts'
import { useViewerSession } from '../viewer-kit/use-viewer-session.ts'
import { focusToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import type { ControlContext } from './actions.ts'
import { ControlSession, type ControlState } from './control-session.ts'
import { canAct } from './holders.ts'
import type { Screenshot } from './screenshot-dialog.tsx'
import { captureOf, type ChangeSettings, type ControlSettings } from './settings.ts'
import { useControlClipboard, type ControlClipboard } from './use-control-clipboard.ts'
import { useOtherViewers } from './use-other-viewers.ts'
import { useSpecialKeys, type SpecialKeys } from './use-special-keys.ts'

const subscribe = (listener: () => void) => {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

/** Whether the browser window or tab is visible. */
const useIsPageSeen = () => useSyncExternalStore(subscribe, () => document.visibilityState === 'visible')

export interface ControlRoomProps {
  desktop: DesktopSession
  /** Display to show first, in place of the primary one. */
  displayId: string | undefined
  startsViewOnly: boolean
  settings: ControlSettings
  onChange: ChangeSettings
  onLeave: () => void
}

/** Session with one desktop, with settings, permissions and clipboard. */
function useControlSession(
  { desktop, displayId, startsViewOnly, settings }: ControlRoomProps,
  onNote: (text: string) => void,
) {
  const { device, can } = usePageDevice()
  const isSeen = [useIsPageSeen(), useTabIsShown()].every(Boolean)
  const capture = captureOf(settings, isSeen)
  const session = useRef<ControlSession>(undefined)
  const client = useQueryClient()
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
      client.fetchQuery(consentQueries.device(device.id)).then(
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

/** Area of the page whose keys go to the device. */
interface KeyboardArea {
  element: RefObject<HTMLTextAreaElement | null>
  isFocused: boolean
  setFocused: (hasFocus: boolean) => void
  focus: () => void
  /** Whether the keyboard of a touch screen is wanted. */
  isOnScreen: boolean
  setOnScreen: (isOn: boolean) => void
}

/** Keyboard area; focused when the session opens. */
function useKeyboardArea(isOpen: boolean, keys: SpecialKeys, clipboard: SessionClipboard): KeyboardArea {
  const isShown = useTabIsShown()
  const element = useRef<HTMLTextAreaElement>(null)
  const [isFocused, setIsFocused] = useState(false)
  const [isOnScreen, setOnScreen] = useState(false)
  const focus = useCallback(() => element.current?.focus({ preventScroll: true }), [])
  useEffect(() => {
    if (isShown && isOpen) {
      focus()
    }
  }, [isShown, isOpen, focus])
  return {
    element,
    isFocused,
    setFocused(hasFocus) {
      setIsFocused(hasFocus)
      if (!hasFocus) {
        keys.release()
        setOnScreen(false)
      }
      clipboard.setFocused(hasFocus)
    },
    focus,
    isOnScreen,
    setOnScreen,
  }
}

/** Notes about full screen and other viewers. */
function useRoomNotes(isFullScreen: boolean, presence: string, setNote: (note: string | undefined) => void) {
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
}

/** Recording of the session; asks the device for the whole pictures that a recording needs. */
function useControlRecording(
  session: ControlSession | undefined,
  state: ControlState | undefined,
  onNote: (text: string) => void,
) {
  const sessionId = state?.session.phase === 'open' ? session?.sessionId : undefined
  const recording = useRecording(sessionId, onNote)
  const isRecordable = recording !== undefined
  const isRecording = recording?.state.isRecording ?? false
  useEffect(() => session?.setWholePictures(isRecordable), [session, isRecordable])
  useEffect(() => {
    if (isRecording) {
      // A recording begins with a whole picture.
      session?.send({ name: 'RequestKeyFrame', payload: {} })
    }
  }, [session, isRecording])

  /** Session that was recorded last, unless its recording was stopped. */
  const recordedId = useRef<string>(undefined)
  const goOn = useEffectEvent(() => recording?.toggle())
  useEffect(() => {
    if (isRecordable) {
      const isReplaced = recordedId.current !== undefined && recordedId.current !== sessionId
      if (!isRecording && isReplaced) {
        // The session replaces one whose connection was lost.
        goOn()
      }
      recordedId.current = isRecording || isReplaced ? sessionId : undefined
    }
  }, [sessionId, isRecordable, isRecording])
  return recording
}

/** Session of a desktop with its toolbar, panels and keyboard. */
export interface ControlRoomState {
  session: ControlSession | undefined
  state: ControlState | undefined
  clipboard: SessionClipboard
  /** Pictures and files. */
  copies: ControlClipboard
  context: ControlContext
  keys: SpecialKeys
  keyboard: KeyboardArea
  dock: RefObject<HTMLDivElement | null>
  /** Name of the opened panel. */
  panel: string | undefined
  openPanel: (name: string | undefined) => void
  showsKeyBar: boolean
  setShowsKeyBar: (isShown: boolean) => void
  /** Whether the dialog for text to type at the device is open. */
  isTyping: boolean
  setTyping: (isTyping: boolean) => void
  note: string | undefined
  /** Names of the other viewers. */
  presence: string
  screenshot: Screenshot | undefined
  /** Shows a picture of the device to copy or save. */
  showPicture: (picture: Blob) => void
  closeScreenshot: () => void
}

/** Picture of the device that is shown to be copied or saved. */
function usePictureDialog() {
  const [screenshot, setScreenshot] = useState<Screenshot>()
  return {
    screenshot,
    showPicture: (picture: Blob) => setScreenshot({ picture, at: new Date() }),
    hidePicture: () => setScreenshot(undefined),
  }
}

export function useControlRoom(props: ControlRoomProps): ControlRoomState {
  const { device, can } = usePageDevice()
  const dock = useRef<HTMLDivElement>(null)
  const [note, setNote] = useNote()
  const { session, state, clipboard, startsViewOnly } = useControlSession(props, setNote)
  const copies = useControlClipboard({ session, clipboard, onNote: setNote })
  const keys = useSpecialKeys({ session, desktop: props.desktop, onNote: setNote })
  const { isFull: isFullScreen, toggle } = useFullScreen()
  const [panel, setPanel] = useState<string>()
  const [isViewOnly, setIsViewOnly] = useState(startsViewOnly)
  const [isTyping, setIsTyping] = useState(false)
  const { screenshot, showPicture, hidePicture } = usePictureDialog()
  const [showsKeyBar, setShowsKeyBar] = useState(false)
  const hasTouch = useMediaQuery('(any-pointer: coarse)', false, { getInitialValueInEffect: false })
  const presence = useOtherViewers(device.id, useTabIsShown())
  const keyboard = useKeyboardArea(state?.session.phase === 'open', keys, clipboard)
  useRoomNotes(isFullScreen, presence, setNote)

  const recording = useControlRecording(session, state, setNote)

  const context: ControlContext = {
    recording,
    isViewOnly,
    canInteract: can('device.remote-control.interact'),
    isFullScreen,
    hasTouch,
    isKeyboardOnScreen: keyboard.isOnScreen,
    /** Requests another session, since a view-only session cannot be upgraded. */
    setViewOnly(next) {
      setIsViewOnly(next)
      props.onChange({ isViewOnly: next })
      session?.begin({ isViewOnly: next })
    },
    toggleFullScreen() {
      toggle()
      keyboard.focus()
    },
    focusToolbar() {
      // A hidden dock has a single button, which shows the toolbar.
      if (!dock.current?.querySelector('[role="toolbar"]')) {
        dock.current?.querySelector('button')?.click()
      }
      requestAnimationFrame(() => focusToolbar(dock.current))
    },
    /** Refocuses the keyboard area: browsers show an on-screen keyboard only on focus during a tap. */
    showKeyboard(isOn) {
      keyboard.element.current?.blur()
      flushSync(() => {
        setPanel(undefined)
        keyboard.setOnScreen(isOn)
      })
      keyboard.focus()
    },
    showDisplay(index) {
      const displayId = index < 0 ? allDisplays : state?.displays[index]?.displayId
      if (displayId !== undefined) {
        session?.show(displayId)
      }
    },
    hasPicture: state?.hasPicture ?? false,
    takeScreenshot: () => void session?.screenshot().then(showPicture),
    end: () => session?.end(),
  }
  return {
    session,
    state,
    clipboard,
    copies,
    context,
    keys,
    keyboard,
    dock,
    panel,
    openPanel(name) {
      setPanel(name)
      if (name === undefined) {
        keyboard.focus()
      }
    },
    showsKeyBar,
    setShowsKeyBar,
    isTyping,
    setTyping(isNow) {
      setIsTyping(isNow)
      if (isNow) {
        setPanel(undefined)
      } else {
        keyboard.focus()
      }
    },
    note,
    presence,
    screenshot,
    showPicture,
    closeScreenshot() {
      hidePicture()
      keyboard.focus()
    },
  }
}

/** State while the session is being requested. */
export const connecting: ControlState['session'] = { phase: 'connecting' }
