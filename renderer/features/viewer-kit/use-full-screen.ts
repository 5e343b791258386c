import { useCallback, useEffect, useRef, useState } from 'react'

/** Chromium's, and only on secure origins: gives a page in full screen keys that are the browser's or system's otherwise. */
interface KeyboardLock {
  lock(keys?: readonly string[]): Promise<void>
  unlock(): void
}

const keyboardLock = () => (navigator as Navigator & { keyboard?: KeyboardLock }).keyboard

export const canLockKeyboard = () => keyboardLock() !== undefined

/**
 * What a page shows fills the window, and the whole screen too. Where Esc is to be the page's, the screen only if the
 * browser can leave it that key: otherwise Esc would throw people out of full screen in the middle of an editor. It is the
 * document that goes there and not an element: menus and dialogs lie outside of the element.
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
          // Left before the browser was there.
          await document.exitFullscreen()
        }
      }
    }
    // Refused: filling the window is what is left.
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
