import { useCallback, useEffect, useState, type RefObject } from 'react'

/** Chromium's, and only on secure origins: lets the page have Esc in full screen, so that vim keeps it. */
interface KeyboardLock {
  lock(keys: string[]): Promise<void>
  unlock(): void
}

const keyboardLock = () => (navigator as Navigator & { keyboard?: KeyboardLock }).keyboard

/**
 * Fills the window; the whole screen too where the browser can leave Esc to the page. Elsewhere Esc would throw people
 * out of full screen in the middle of an editor.
 */
export function useFullScreen(element: RefObject<HTMLElement | null>) {
  const [isFullScreen, setIsFullScreen] = useState(false)
  const toggle = useCallback(() => {
    const keyboard = keyboardLock()
    setIsFullScreen((before) => !before)
    if (document.fullscreenElement) {
      keyboard?.unlock()
      void document.exitFullscreen()
    } else if (keyboard && !isFullScreen) {
      const enter = async () => {
        await element.current?.requestFullscreen()
        await keyboard.lock(['Escape'])
      }
      // Refused: filling the window is what is left.
      void enter().catch(() => {})
    }
  }, [element, isFullScreen])
  useEffect(() => {
    const handleChange = () => setIsFullScreen(document.fullscreenElement !== null)
    document.addEventListener('fullscreenchange', handleChange)
    return () => document.removeEventListener('fullscreenchange', handleChange)
  }, [])
  return [isFullScreen, toggle] as const
}
