import { useCallback, useEffect, useRef, useState, type RefObject } from 'react'
import { useTabIsShown } from '../../hooks/use-page-device.ts'
import type { SessionClipboard } from '../viewer-kit/session-clipboard.ts'
import type { SpecialKeys } from './use-special-keys.ts'

/** Area of the page whose keys go to the device. */
export interface KeyboardArea {
  element: RefObject<HTMLTextAreaElement | null>
  isFocused: boolean
  setFocused: (hasFocus: boolean) => void
  focus: () => void
  /** Whether the keyboard of a touch screen is wanted. */
  isOnScreen: boolean
  setOnScreen: (isOn: boolean) => void
}

/** Keyboard area; focused when the session opens. */
export function useKeyboardArea(isOpen: boolean, keys: SpecialKeys, clipboard: SessionClipboard): KeyboardArea {
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
