import { useCallback, useEffect, useState } from 'react'

/** Chromium's, and only on secure origins: gives a page in full screen the keys that are the system's otherwise. */
interface KeyboardLock {
  lock(): Promise<void>
  unlock(): void
}

const keyboardLock = () => (navigator as Navigator & { keyboard?: KeyboardLock }).keyboard

export const canLockKeyboard = () => keyboardLock() !== undefined

/**
 * The frame fills the window, and where the browser permits the whole screen. It is the document that goes there and not
 * the frame: menus and dialogs lie outside of the frame.
 */
export function useFullScreen() {
  const [isFull, setIsFull] = useState(false)
  const leave = useCallback(() => {
    setIsFull(false)
    keyboardLock()?.unlock()
    if (document.fullscreenElement) {
      void document.exitFullscreen()
    }
  }, [])
  const enter = useCallback(() => {
    setIsFull(true)
    const fill = async () => {
      await document.documentElement.requestFullscreen()
      await keyboardLock()?.lock()
    }
    // Refused: filling the window is what is left.
    void fill().catch(() => {})
  }, [])
  useEffect(() => {
    const handleChange = () => {
      if (!document.fullscreenElement) {
        leave()
      }
    }
    document.addEventListener('fullscreenchange', handleChange)
    return () => {
      document.removeEventListener('fullscreenchange', handleChange)
      leave()
    }
  }, [leave])
  return { isFull, enter, leave }
}
