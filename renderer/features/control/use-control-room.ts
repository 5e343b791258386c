import { useMediaQuery } from '@mantine/hooks'
import { useEffect, useRef, useState, type RefObject } from 'react'
import { flushSync } from 'react-dom'
import { allDisplays } from '../../../shared/remote-control/values.ts'
import type { DesktopSession } from '../../../shared/dtos/desktop-session.ts'
import { usePageDevice, useTabIsShown } from '../../hooks/use-page-device.ts'
import * as t from '../../texts.ts'
import type { SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import { useFullScreen } from '../viewer-kit/use-full-screen.ts'
import { useNote } from '../viewer-kit/use-note.ts'
import { focusToolbar } from '../viewer-kit/viewer-toolbar.tsx'
import type { ControlContext } from './actions.ts'
import type { ControlSession } from './control-session.ts'
import type { ControlState } from './control-state.ts'
import type { Screenshot } from './screenshot-dialog.tsx'
import type { ChangeSettings, ControlSettings } from './settings.ts'
import { useControlClipboard, type ControlClipboard } from './use-control-clipboard.ts'
import { useControlRecording } from './use-control-recording.ts'
import { useControlSession } from './use-control-session.ts'
import { useKeyboardArea, type KeyboardArea } from './use-keyboard-area.ts'
import { useOtherViewers } from './use-other-viewers.ts'
import { useSpecialKeys, type SpecialKeys } from './use-special-keys.ts'

export interface ControlRoomProps {
  desktop: DesktopSession
  /** Display to show first, in place of the primary one. */
  displayId: string | undefined
  startsViewOnly: boolean
  settings: ControlSettings
  onChange: ChangeSettings
  onLeave: () => void
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
  const copies = useControlClipboard({ session, username: props.desktop.username, clipboard, onNote: setNote })
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
