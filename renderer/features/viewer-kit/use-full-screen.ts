import { useCallback, useEffect, useRef, useState } from 'react'

/**
 * Keyboard Lock API: Chromium only, on secure origins. Gives a page in full screen the keys that browser and system
 * reserve.
 */
interface KeyboardLock {
  lock(keys?: readonly string[]): Promise<void>
  unlock(): void
}

const keyboardLock = () => (navigator as Navigator & { keyboard?: KeyboardLock }).keyboard

export const canLockKeyboard = () => keyboardLock() !== undefined

/**
 * Full screen of a viewer, or the full window if the browser denies it. If the page needs Esc (`isEscOurs`), the screen
 * is used only with the Keyboard Lock API, since Esc would otherwise leave full screen. The whole document enters full
 * screen, since menus and dialogs lie outside of the element.
 */
export function useFullScreen({ isEscOurs = false } = {}) {
  const [isFull, setIsFull] = useState(false)
  const isWanted = useRef(false)
  const leave = useCallback(() => {
    isWanted.current = false
    setIsFull(false)
    keyboardLock()?.unlock()
    if (document.fullscreenElement) {
      void document.exitFullscreen()
    }
  }, [])
  const enter = useCallback(() => {
    isWanted.current = true
    setIsFull(true)
    const fill = async () => {
      if (!isEscOurs || canLockKeyboard()) {
        await document.documentElement.requestFullscreen()
        if (isWanted.current) {
          await keyboardLock()?.lock(isEscOurs ? ['Escape'] : undefined)
        } else {
          // The user left before the request was granted.
          await document.exitFullscreen()
        }
      }
    }
    // If the browser denies full screen, the viewer fills the window.
    void fill().catch(() => {})
  }, [isEscOurs])
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
  return { isFull, toggle: isFull ? leave : enter }
}
